"""Lets npm_packages_spdx.bbclass extend a document that create_spdx would have written. Prints the result.

    npm_spdx.py RECIPE CLASS FOLDER     FOLDER: for the document, with licenses.json

create_spdx itself needs the built package. Runs in a build folder.
"""

import pathlib
import sys

import bb.tinfoil
import oe.sbom30
import oe.spdx30


def main():
    recipe, bbclass, folder = sys.argv[1:]
    functions = {"bb": bb}
    text = pathlib.Path(bbclass).read_text()
    exec(text[text.index("def ") : text.index("python do_create_spdx:append")], functions)
    with bb.tinfoil.Tinfoil(output=sys.stderr) as tinfoil:
        tinfoil.prepare(config_only=True, quiet=2)
        d = tinfoil.parse_recipe_file(recipe, appends=False)
        d.setVar("SPDXDEPLOY", folder)
        d.setVar("S", folder)
        d.setVar("BB_UNIHASH", "f" * 64)
        objset = oe.sbom30.ObjectSet.new_objset(d, "package-pitv", False)
        objset.add_root(
            oe.spdx30.software_Package(
                _id=objset.new_spdxid("package", "pitv"),
                creationInfo=objset.doc.creationInfo,
                name="pitv",
                software_primaryPurpose=oe.spdx30.software_SoftwarePurpose.install,
            )
        )
        oe.sbom30.write_recipe_jsonld_doc(
            d, objset, "packages-staging", pathlib.Path(folder), create_spdx_id_links=False
        )
        functions["add_npm_packages"](d)
        (document,) = pathlib.Path(folder).rglob("package-pitv.spdx.json")
    print(document.read_text())


main()
