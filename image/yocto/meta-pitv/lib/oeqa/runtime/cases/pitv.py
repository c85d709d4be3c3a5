#
# SPDX-License-Identifier: MIT
#
"""Asks the TV of an emulated board, whose port 80 is the host's port 18080 (pitv-image.inc)."""

import json
import time
import urllib.error
import urllib.request

from oeqa.core.decorator.oetimeout import OETimeout
from oeqa.runtime.case import OERuntimeTestCase

URL = "http://127.0.0.1:18080/healthz"
POLL_S = 2


class PitvTest(OERuntimeTestCase):
    @OETimeout(600)
    def test_healthz(self):
        """The TV answers. It may start after the login prompt at which the test begins."""
        while True:
            try:
                with urllib.request.urlopen(URL, timeout=30) as response:
                    health = json.load(response)
                    break
            except (OSError, urllib.error.URLError):
                time.sleep(POLL_S)
        self.assertIs(health["ok"], True, msg=str(health))
