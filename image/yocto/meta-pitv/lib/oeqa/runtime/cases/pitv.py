#
# SPDX-License-Identifier: MIT
#
"""Asks the TV of an emulated board whether it is well."""

import json
import pathlib
import re
import time
import urllib.request

from oeqa.core.decorator.oetimeout import OETimeout
from oeqa.runtime.case import OERuntimeTestCase

POLL_S = 2


class PitvTest(OERuntimeTestCase):
    @OETimeout(600)
    def test_healthz(self):
        """The TV answers. It may start after the login prompt at which the tests begin."""
        # runqemu forwards a higher port than QB_SLIRP_OPT names (pitv-image.inc) if another program uses that one.
        command_line = pathlib.Path("/proc/%d/cmdline" % self.target.runner.qemupid).read_text()
        forwarded = re.search(r"hostfwd=tcp:[^:,]*:(\d+)-[^:,]*:80(?!\d)", command_line)
        self.assertIsNotNone(forwarded, msg=command_line.replace("\0", " "))
        health = None
        while health is None:
            try:
                with urllib.request.urlopen("http://127.0.0.1:%s/healthz" % forwarded[1], timeout=30) as response:
                    health = json.load(response)
            except OSError:
                time.sleep(POLL_S)
        self.assertIs(health["ok"], True, msg=str(health))
