"""Checks the Yocto layer with kas and BitBake's parser (bitbake-setup), without other layers. Ends at the first fault."""

import pathlib
import sys
import types

YOCTO = pathlib.Path(__file__).resolve().parents[3] / "image/yocto"


def check_kas():
    """Loads each file as kas does, which checks its schema and its includes. The lock pins every repository."""
    from kas.context import create_global_context
    from kas.includehandler import IncludeHandler

    create_global_context(types.SimpleNamespace(no_color=True))
    for path in (YOCTO / "kas").glob("*.yml"):
        IncludeHandler([str(path)]).get_config()
    config, _ = IncludeHandler([str(YOCTO / "kas/pitv.yml")]).get_config()
    pinned = config["overrides"]["repos"].keys()
    assert pinned == {name for name, repo in config["repos"].items() if "url" in repo}, "pitv.lock.yml: %s" % pinned
    assert (YOCTO.parent.parent / list(config["repos"]["pitv"]["layers"])[0] / "conf/layer.conf").exists()


def check_syntax():
    """Parses each recipe and setting with BitBake's parser, without evaluating it."""
    # The package does not contain the hash server, which parsing does not need.
    for name in ("hashserv", "hashserv.client"):
        sys.modules[name] = types.ModuleType(name)
    import bb.parse
    from bb.parse.parse_py.BBHandler import get_statements

    for path in (YOCTO / "meta-pitv").rglob("*"):
        if path.suffix in (".bb", ".bbappend", ".bbclass", ".inc", ".conf"):
            get_statements(str(path), str(path), path.stem)


check_kas()
check_syntax()
