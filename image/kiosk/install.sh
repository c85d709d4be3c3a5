#!/bin/sh
# Adds what a card with a browser needs to a root file system:
#   install.sh ROOTFS
# Run it before common/install.sh, which makes the user. The caller provides the packages of packages.txt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] && [ -d "$1" ] || { echo "usage: $0 ROOTFS" >&2; exit 2; }
sh "$here/../common/copy.sh" "$here/root" "$1"
# pitv-kiosk.service starts it.
rm -f "$1/etc/systemd/system/multi-user.target.wants/seatd.service"
