#!/bin/sh
# Makes the card's userland from Debian packages, without kernel, settings and app.
#   rootfs.sh ARCH APT OUT PACKAGES [LIST...]   ARCH: Debian's architecture (armhf, armel, arm64); APT: a folder of apt.sh;
#                            PACKAGES: names, with spaces; LIST: a file such as packages.txt;
#                            writes OUT/rootfs.tar and OUT/packages.tsv
# Needs mmdebstrap and qemu-user-static registered with binfmt_misc; root or a subuid range.
set -eu
arch=$1
apt=$2
out=$3
names=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
mode=root
[ "$(id -u)" = 0 ] || mode=unshare
packages=$({ echo "$names"; sed 's/#.*//' "$here/packages.txt" "$@"; } | tr -s ' \n' ',' | sed 's/^,//; s/,$//')

# Documentation is not installed, except licences. A hook may run in a namespace that cannot write to OUT, so files are
# copied with mmdebstrap's `download`.
mmdebstrap --mode="$mode" --variant=essential --architectures="$arch" --include="$packages" \
  --aptopt='Apt::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/lintian/*' \
  --dpkgopt='path-exclude=/usr/share/bash-completion/*' \
  --dpkgopt='path-exclude=/usr/share/zsh/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/include/*' \
  --customize-hook='chroot "$1" dpkg-query -W -f="\${Package}\t\${Version}\t\${source:Package}\t\${Architecture}\t\${Installed-Size}\n" >"$1/packages.tsv"' \
  --customize-hook="download /packages.tsv '$out/packages.tsv'" \
  --customize-hook='rm -rf "$1"/var/cache/* "$1"/var/lib/apt "$1"/var/log/* "$1"/etc/ssh/ssh_host_* "$1/etc/apt/sources.list" "$1/packages.tsv"' \
  "${PITV_IMAGE_SUITE:-trixie}" "$out/rootfs.tar" "$apt/sources.list"
