#!/bin/sh
# Combines userland, kernel modules, settings and the app into the root file system.
#   system.sh BOARD ROOTFS.TAR APP OUT.SQUASHFS KIOSK KEYRING TREE...   KIOSK: not empty for a card with a browser; KEYRING:
# which updates a card with two systems trusts, or ''; TREE: a folder that is copied into the root
# Run as root, or as root of a user namespace. suites.tsv of apt.sh and the version of the system are beside OUT.SQUASHFS.
set -eu
board=$1 tar=$2 app=$3 out=$4 kiosk=$5 keyring=$6
shift 6
image=$(cd "$(dirname "$0")/.." && pwd)
root=$(mktemp -d "${TMPDIR:-/tmp}/pitv-root.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 1' INT TERM HUP
chmod 755 "$root"

tar -xf "$tar" -C "$root" --numeric-owner --exclude='./dev/*'
for tree; do cp -a --no-preserve=ownership "$tree/." "$root/"; done
if [ -n "$kiosk" ]; then
  "$image/common/copy.sh" "$image/kiosk/root" "$root"
  rm -f "$root/etc/systemd/system/multi-user.target.wants/seatd.service" # pitv-kiosk.service starts it
fi
"$image/common/install.sh" "$root" "$board"
[ -z "$keyring" ] || "$image/update/install.sh" "$root" "$board${kiosk:+-kiosk}" "$keyring"
cp "${out%/*}/suites.tsv" "$root/usr/lib/pitv-image/suites"
cp "${out%/*}/version" "$root/usr/lib/pitv-image/version"
mkdir -p "$root/usr/lib/pitv"
cp -a --no-preserve=ownership "$app/." "$root/usr/lib/pitv/"
chmod 755 "$root/usr/lib/pitv/app/cli.js"

# Files that are only needed to install packages, and other unneeded ones.
rm -rf "${root:?}"/var/lib/apt "$root"/var/cache/* "$root"/usr/share/man "$root"/usr/share/info \
  "$root"/usr/share/perl5 "$root"/usr/lib/udev/hwdb.d "$root"/usr/share/bash-completion \
  "$root"/usr/lib/systemd/catalog "$root"/var/log/* "$root"/etc/apt

# lz4: zstd saves a quarter of the size, but takes seconds of a Pi 1's start. The published card is compressed again,
# so it is no larger. Fixed file times make the same inputs give the same bytes.
mksquashfs "$root" "$out" -noappend -quiet -no-progress -comp lz4 -Xhc \
  -b 128K -no-xattrs -all-time "${SOURCE_DATE_EPOCH:-0}" -mkfs-time "${SOURCE_DATE_EPOCH:-0}" >/dev/null
