#!/bin/sh
# Adds what a card with a browser needs to a root file system:
#   install.sh ROOTFS
# Run it after common/install.sh. The caller provides the packages of packages.txt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] && [ -d "$1" ] || { echo "usage: $0 ROOTFS" >&2; exit 2; }
rootfs=$1
(cd "$here/root" && find . -type f) | while read -r file; do
  mode=0644
  case $file in ./usr/libexec/*) mode=0755 ;; esac
  install -D -m $mode "$here/root/$file" "$rootfs/$file"
done

name=pitv-kiosk id=971
add_line() { grep -q "^$name:" "$1" || echo "$2" >>"$1"; }
add_line "$rootfs/etc/group" "$name:x:$id:"
add_line "$rootfs/etc/passwd" "$name:x:$id:$id:pitv, the browser on the television:/run/pitv-kiosk:/usr/sbin/nologin"
[ ! -e "$rootfs/etc/shadow" ] || add_line "$rootfs/etc/shadow" "$name:!*:::::::"
[ ! -e "$rootfs/etc/gshadow" ] || add_line "$rootfs/etc/gshadow" "$name:!*::"

# pitv-kiosk.service starts it.
rm -f "$rootfs/etc/systemd/system/multi-user.target.wants/seatd.service"
