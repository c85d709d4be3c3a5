#
# SPDX-License-Identifier: MIT
#
"""Asks the TV of an emulated board whether it is well."""

import json
import pathlib
import re
import time
import urllib.error
import urllib.request

from oeqa.core.decorator.oetimeout import OETimeout
from oeqa.runtime.case import OERuntimeTestCase

HTTP_PORT = 80
POLL_S = 2


def forwarded_port(command_line, port):
    """Returns the host's port that QEMU forwards to a port of the board.

    runqemu takes a higher one than QB_SLIRP_OPT names (pitv-image.inc) if another program uses that one."""
    found = re.search(r"hostfwd=tcp:[^:,]*:(\d+)-[^:,]*:%d(?!\d)" % port, command_line)
    if found is None:
        raise ValueError("QEMU forwards no port to %d: %s" % (port, command_line.replace("\0", " ")))
    return int(found[1])


def wait_for_health(port):
    """Returns the TV's answer to /healthz. The TV may start after the login prompt at which the tests begin."""
    while True:
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d/healthz" % port, timeout=30) as response:
                return json.load(response)
        except (OSError, urllib.error.URLError):
            time.sleep(POLL_S)


class PitvTest(OERuntimeTestCase):
    @OETimeout(600)
    def test_healthz(self):
        """The TV answers."""
        command_line = pathlib.Path("/proc/%d/cmdline" % self.target.runner.qemupid).read_text()
        health = wait_for_health(forwarded_port(command_line, HTTP_PORT))
        self.assertIs(health["ok"], True, msg=str(health))
