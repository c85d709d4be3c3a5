#!/bin/sh
# Installs the card's packages and the kernel as Debian does, to compare with the trimmed card: with an initrd of
# initramfs-tools and all kernel modules.
#   untrimmed.sh ARCH APT OUT   as image/debian/rootfs.sh; writes OUT/rootfs.tar, OUT/packages.tsv, OUT/boot, OUT/root
set -eu
arch=$1
apt=$2
out=$3
here=$(cd "$(dirname "$0")/../../image/debian" && pwd)
kernel=$(awk -v arch="$arch" '$1 == arch {print $2}' "$here/kernels.txt")
[ -n "$kernel" ] || { echo "untrimmed.sh: no kernel known for $arch" >&2; exit 2; }
mode=root
[ "$(id -u)" = 0 ] || mode=unshare
packages=$(sed 's/#.*//' "$here/packages.txt" | tr -s ' \n' ',' | sed 's/^,//; s/,$//')
mkdir -p "$out/boot" "$out/root"
sed -n 's/^initrd *//p' "$here/modules.txt" >"$out/initrd.txt"

# The card's driver is listed, because under user-mode emulation initramfs-tools silently leaves it out.
mmdebstrap --mode="$mode" --variant=essential --architectures="$arch" \
  --include="$packages,$kernel,initramfs-tools,zstd" \
  --aptopt='Apt::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' \
  --essential-hook='mkdir -p "$1/usr/share/initramfs-tools/modules.d"' \
  --essential-hook="upload '$out/initrd.txt' /usr/share/initramfs-tools/modules.d/card" \
  --customize-hook='chroot "$1" dpkg-query -W -f="\${Package}\t\${Version}\t\${source:Package}\t\${Architecture}\t\${Installed-Size}\n" >"$1/packages.tsv"' \
  --customize-hook="download /packages.tsv '$out/packages.tsv'" \
  --customize-hook='mv "$1"/boot/vmlinuz-* "$1/boot/vmlinuz"; mv "$1"/boot/initrd.img-* "$1/boot/initrd.img"' \
  --customize-hook="download /boot/vmlinuz '$out/boot/vmlinuz'" \
  --customize-hook="download /boot/initrd.img '$out/boot/initrd.img'" \
  --customize-hook='rm -rf "$1"/boot/* "$1"/initrd.img* "$1"/vmlinuz*' \
  --customize-hook='rm -rf "$1"/var/cache/* "$1"/var/lib/apt "$1"/var/log/* "$1"/etc/ssh/ssh_host_* "$1/etc/apt/sources.list" "$1/packages.tsv"' \
  "${PITV_IMAGE_SUITE:-trixie}" "$out/rootfs.tar" "$apt/sources.list"
