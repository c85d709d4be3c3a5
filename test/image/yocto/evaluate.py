"""Evaluates recipes with BitBake, without parsing all others. Prints JSON.

    evaluate.py VARIABLES RECIPE[+APPEND]...     VARIABLES: names, with commas; RECIPE, APPEND: paths

prints {file name of the recipe: {"skipped": reason or null, "variables": {name: value}, "tasks": {name: hash}}}. A hash is
over the task's own text and the variables that it uses, as in BitBake's signatures. Runs in a build folder.
"""

import json
import os
import sys

import bb.tinfoil


def evaluate(d, names):
    hashes = d.getVar("__siggen_basehashes", False) or {}
    return {
        "skipped": d.getVar("__SKIPPED"),
        "variables": {name: d.getVar(name) for name in names},
        "tasks": {task.rpartition(":")[2]: value for task, value in hashes.items()},
    }


def main():
    names = sys.argv[1].split(",")
    found = {}
    with bb.tinfoil.Tinfoil(output=sys.stderr) as tinfoil:
        tinfoil.prepare(config_only=True, quiet=2)
        for argument in sys.argv[2:]:
            recipe, *appends = argument.split("+")
            d = tinfoil.parse_recipe_file(recipe, appendlist=appends)
            found[os.path.basename(recipe)] = evaluate(d, names)
    print(json.dumps(found))


main()
