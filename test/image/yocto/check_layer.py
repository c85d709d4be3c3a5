"""Runs those checks of yocto-check-layer that need neither a build nor all recipes: check_layer.py LAYER SCRIPTS."""

import sys
import types
import unittest


def main():
    layer, scripts = sys.argv[1:]
    sys.path.append(scripts + "/lib")
    from checklayer import LayerType
    from checklayer.cases.common import CommonCheckLayer

    CommonCheckLayer.tc = types.SimpleNamespace(
        layer={"name": "meta-pitv", "path": layer, "type": LayerType.DISTRO}
    )
    names = ["test_readme", "test_security", "test_patches_upstream_status"]
    suite = unittest.TestSuite(CommonCheckLayer(name) for name in names)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    return 0 if result.wasSuccessful() and not result.skipped else 1


sys.exit(main())
