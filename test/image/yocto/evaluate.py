"""Evaluates recipes with BitBake, without parsing all others. Prints JSON. Runs in a build folder.

    evaluate.py VARIABLES RECIPE[+APPEND]...     VARIABLES: names, with commas; RECIPE, APPEND: paths

prints {file name of the recipe: {"skipped": reason or null, "variables": {name: value}, "tasks": {name: hash}}}. A hash is
over the task's own text and the variables that it uses, as in BitBake's signatures.

    evaluate.py --spdx RECIPE CLASS FOLDER       FOLDER: for the document, with licenses.json

prints the npm packages that CLASS adds to the SPDX document of the recipe's package, and how many of them are contained in
the package and have a licence. create_spdx, which makes the document otherwise, needs the built package.
"""

import json
import os
import pathlib
import sys

import bb.tinfoil
import oe.sbom30
import oe.spdx30


def evaluate(d, names):
    hashes = d.getVar("__siggen_basehashes", False) or {}
    return {
        "skipped": d.getVar("__SKIPPED"),
        "variables": {name: d.getVar(name) for name in names},
        "tasks": {task.rpartition(":")[2]: value for task, value in hashes.items()},
    }


def add_npm_packages(d, bbclass, folder):
    functions = {"bb": bb}
    text = pathlib.Path(bbclass).read_text()
    exec(text[text.index("def ") : text.index("python do_create_spdx:append")], functions)
    for name, value in {"SPDXDEPLOY": folder, "S": folder, "BB_UNIHASH": "f" * 64}.items():
        d.setVar(name, value)
    objset = oe.sbom30.ObjectSet.new_objset(d, "package-pitv", False)
    package = oe.spdx30.software_Package(
        _id=objset.new_spdxid("package", "pitv"),
        creationInfo=objset.doc.creationInfo,
        name="pitv",
        software_primaryPurpose=oe.spdx30.software_SoftwarePurpose.install,
    )
    objset.add_root(package)
    path = pathlib.Path(folder)
    oe.sbom30.write_recipe_jsonld_doc(d, objset, "packages-staging", path, create_spdx_id_links=False)
    functions["add_npm_packages"](d)
    (document,) = path.rglob("package-pitv.spdx.json")
    elements = json.loads(document.read_text())["@graph"]
    npm = [each for each in elements if each.get("software_packageUrl", "").startswith("pkg:npm/")]
    names = sorted("%s %s" % (each["name"], each["software_packageVersion"]) for each in npm)
    relations = [each for each in elements if "relationshipType" in each]
    contained = {to for each in relations if each["relationshipType"] == "contains" for to in each["to"]}
    licensed = sum(each["relationshipType"] == "hasDeclaredLicense" for each in relations)
    return {"packages": names, "contained": len(contained & {each["spdxId"] for each in npm}), "licensed": licensed}


with bb.tinfoil.Tinfoil(output=sys.stderr) as tinfoil:
    tinfoil.prepare(config_only=True, quiet=2)
    names, *recipes = sys.argv[1:]
    if names == "--spdx":
        found = add_npm_packages(tinfoil.parse_recipe_file(recipes[0], appends=False), *recipes[1:])
    else:
        found = {}
        for argument in recipes:
            recipe, *appends = argument.split("+")
            d = tinfoil.parse_recipe_file(recipe, appendlist=appends)
            found[os.path.basename(recipe)] = evaluate(d, names.split(","))
print(json.dumps(found))
