#!/bin/sh
# Adds what a card with two systems needs to a root file system:
#   install.sh ROOTFS SYSTEM KEYRING    SYSTEM: systemName() in boards.js; KEYRING: of `make update-key`
# Run it after common/install.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 3 ] && [ -d "$1" ] || { echo "usage: $0 ROOTFS SYSTEM KEYRING" >&2; exit 2; }
rootfs=$1 system=$2 keyring=$3
sh "$here/../common/copy.sh" "$here/root" "$rootfs"
# RAUC refuses every update if it has to look for revoked certificates and the keyring has no list of them.
! grep -q 'X509 CRL' "$keyring" || revoked=true
sed -i "s/@system@/$system/; s/@revoked@/${revoked:-false}/" "$rootfs/etc/rauc/system.conf"
install -m 0644 "$keyring" "$rootfs/etc/rauc/keyring.pem"
wants=$rootfs/etc/systemd/system/multi-user.target.wants
mkdir -p "$wants"
for unit in pitv-confirm.service pitv-update.path; do
  ln -sfn "/usr/lib/systemd/system/$unit" "$wants/$unit"
done
