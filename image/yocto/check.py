"""Checks the layer with tools from Python's package index, without other layers:

    check.py kas           every kas file against kas's schema; includes exist; the lock pins each repository
    check.py parse         every recipe and configuration file through BitBake's own parser

Needs kas, and bitbake-setup for BitBake's library. Exits 1 with a line for each finding.
"""

import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
LAYER = HERE / "meta-pitv"
PROJECT = HERE.parent.parent


def check_kas():
    import jsonschema
    import kas
    import yaml

    schema = json.loads((pathlib.Path(kas.__file__).parent / "schema-kas.json").read_text())
    files = {path: yaml.safe_load(path.read_text()) for path in sorted((HERE / "kas").glob("*.yml"))}
    findings = []
    for path, content in files.items():
        name = path.relative_to(PROJECT)
        for error in jsonschema.Draft7Validator(schema).iter_errors(content):
            findings.append(f"{name}: {error.json_path}: {error.message}")
        for include in content["header"].get("includes", []):
            if not (PROJECT / include).is_file():
                findings.append(f"{name}: includes {include}, which does not exist")
    pinned = files[HERE / "kas" / "pitv.lock.yml"]["overrides"]["repos"]
    used = {
        repo: settings
        for path, content in files.items()
        for repo, settings in content.get("repos", {}).items()
        if "url" in settings
    }
    for repo in used.keys() - pinned.keys():
        findings.append(f"pitv.lock.yml: {repo} is not pinned")
    for repo in pinned.keys() - used.keys():
        findings.append(f"pitv.lock.yml: pins {repo}, which is not used")
    for layer in files[HERE / "kas" / "pitv.yml"]["repos"]["pitv"]["layers"]:
        if not (PROJECT / layer / "conf" / "layer.conf").is_file():
            findings.append(f"pitv.yml: {layer} is not a layer")
    return findings


def load_bitbake():
    """Loads BitBake's parser. The package does not contain the hash server, which parsing does not need."""
    import types

    for name in ("hashserv", "hashserv.client"):
        sys.modules.setdefault(name, types.ModuleType(name))
    import bb.parse  # noqa: F401


def statements(path):
    """Parses a file with BitBake's parser, without evaluating it."""
    import bb.parse.parse_py.BBHandler as handler

    handler.__inpython__ = False
    handler.__infunc__ = []
    handler.__residue__ = []
    handler.__body__ = []
    result = handler.get_statements(str(path), str(path), path.stem)
    if handler.__infunc__:
        raise SyntaxError("a function is not closed")
    return result


def check_parse():
    load_bitbake()
    findings = []
    files = sorted(path for path in LAYER.rglob("*") if path.suffix in (".bb", ".bbappend", ".inc", ".conf"))
    for path in files:
        try:
            statements(path)
        except Exception as error:  # BitBake has several classes of errors
            findings.append(f"{path.relative_to(PROJECT)}: {error}")
    if not files:
        findings.append("no recipe found")
    return findings


def main():
    kind = sys.argv[1] if len(sys.argv) == 2 else ""
    check = {"kas": check_kas, "parse": check_parse}.get(kind)
    if check is None:
        print(__doc__, file=sys.stderr)
        return 2
    findings = check()
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
