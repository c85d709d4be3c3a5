"""Loads the suite `pitv` as testimage does, and lets it ask a running TV: testimage_case.py CASES COMMAND_LINE

CASES is the folder of the suite, COMMAND_LINE that of QEMU. Prints {"cases": names, "port": number, "health": answer}.
"""

import json
import logging
import sys

from oeqa.core.utils.test import getSuiteCases
from oeqa.runtime.context import OERuntimeTestContext


def main():
    cases, command_line = sys.argv[1:]
    context = OERuntimeTestContext({}, logging.getLogger(), None, {}, None)
    context.loadTests([cases], modules=["pitv"])
    found = [case.id() for case in getSuiteCases(context.suites)]
    sys.path.insert(0, cases)
    import pitv

    port = pitv.forwarded_port(command_line, pitv.HTTP_PORT)
    print(json.dumps({"cases": found, "port": port, "health": pitv.wait_for_health(port)}))


main()
