#!/bin/sh
# Extracts the kernel, its modules and the firmware from Debian's packages, without installing them. This leaves out
# initramfs-tools and thousands of modules for other machines, and runs no scripts under emulation.
#   STRIP=... kernel.sh BOARD APT OUT [U-BOOT [LIST...]]  STRIP: strip for the board's processor; BOARD: a line of
#                                          kernels.txt; APT: a folder of apt.sh; U-BOOT: the variants of U-Boot that
#                                          start the kernel, or ''; LIST: a file with more modules; writes
#     OUT/boot/          kernel, initrd, device trees, boot firmware, U-Boot
#     OUT/root/          files of the root file system: modules, Wi-Fi firmware, licences
#     OUT/packages.tsv   list of the packages
set -eu
board=$1
apt=$2
out=$3
uboot=${4-}
shift $(($# > 4 ? 4 : $#))
here=$(cd "$(dirname "$0")" && pwd)
kernel=$(awk -v board="$board" '$1 == board {print $2}' "$here/kernels.txt")
trees=$(awk -v board="$board" '$1 == board {$1 = $2 = ""; print}' "$here/kernels.txt")
[ -n "$kernel" ] || { echo "kernel.sh: no kernel known for $board" >&2; exit 2; }
[ "$kernel" = "${kernel%/backports}" ] || "$here/backports.sh" "$apt"
kernel=${kernel%/*}
export APT_CONFIG="$apt/apt.conf"
# depmod and modprobe are not in the PATH of an ordinary user.
PATH=$PATH:/usr/sbin:/sbin

work=$out/work
rm -rf "${work:?}" "${out:?}/boot" "${out:?}/root"
mkdir -p "$work/debs" "$work/tree" "$out/boot" "$out/root/usr/lib/firmware" "$out/root/usr/share/doc"
image=$(apt-cache depends "$kernel" | awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ {print $2; exit}')
[ -n "$image" ] || { echo "kernel.sh: $kernel is not available" >&2; exit 1; }
# A newer Debian splits the kernel into several packages.
parts=$(apt-cache depends "$image" | awk '$1 == "Depends:" && $2 ~ /^linux-(base|binary|modules)-[0-9]/ {print $2}')
# shellcheck disable=SC2086
(cd "$work/debs" && apt-get download -qq "$image" $parts raspi-firmware firmware-brcm80211 busybox-static ${uboot:+u-boot-rpi})
: >"$out/packages.tsv"
for deb in "$work"/debs/*.deb; do
  dpkg-deb -x "$deb" "$work/tree"
  dpkg-deb -W --showformat='${Package}\t${Version}\t${Source}\t${Architecture}\t${Installed-Size}\n' "$deb" >>"$out/packages.tsv"
done
tree=$work/tree
[ -e "$tree/lib" ] || ln -s usr/lib "$tree/lib"
version=${image#linux-image-}
version=${version%-unsigned}
modules=$tree/usr/lib/modules/$version
from=$out/root/usr/lib/modules/$version
depmod -b "$tree" "$version"

# Copies the listed modules and their dependencies, in the order in which they can be loaded. They are uncompressed,
# because the root is compressed. Their signatures, which strip does not keep, are removed: a Pi 1 needs a quarter of a
# second to check each of forty modules at every start, and these boards do not check what is loaded before the kernel.
# (The kernel is then marked as tainted: E.)
copy_unsigned() { # $1: module, $2: target
  case $1 in *.xz) xz -dc "$1" >"$2" ;; *) cp "$1" "$2" ;; esac
  "$STRIP" --strip-debug "$2"
}
mkdir -p "$from" "$work/initrd/modules" "$work/initrd/bin"
list_files() { modprobe -d "$tree" -S "$version" --show-depends "$1" 2>/dev/null | awk '$1 == "insmod" {print $2}'; }
cp "$modules/modules.builtin" "$modules/modules.order" "$from"
[ ! -e "$modules/modules.builtin.modinfo" ] || cp "$modules/modules.builtin.modinfo" "$from"
: >"$work/initrd/modules/order"
sed 's/#.*//' "$here/modules.txt" "$@" | while read -r when name; do
  [ -n "$name" ] || continue
  for file in $(list_files "$name"); do
    path=${file#*/lib/modules/"$version"/}
    mkdir -p "$from/${path%/*}"
    path=${path%.xz}
    [ -e "$from/$path" ] || copy_unsigned "$file" "$from/$path"
    [ "$when" != card ] || continue
    short=$(basename "$path")
    [ ! -e "$work/initrd/modules/$short" ] || continue
    cp "$from/$path" "$work/initrd/modules/"
    echo "$short" >>"$work/initrd/modules/order"
  done
done
depmod -b "$out/root/usr" "$version" 2>/dev/null || { ln -sfn usr/lib "$out/root/lib" && depmod -b "$out/root" "$version" && rm "$out/root/lib"; }

# The initrd: a script, busybox, and the modules needed to read the card.
cp "$tree/usr/bin/busybox" "$work/initrd/bin/busybox"
cp "$here/initrd/init" "$work/initrd/init"
chmod 755 "$work/initrd/init"
mkdir -p "$work/initrd/proc" "$work/initrd/sys" "$work/initrd/dev"
find "$work/initrd" -exec touch -h -d @0 {} +
(cd "$work/initrd" && find . | LC_ALL=C sort | cpio --quiet --reproducible -R 0:0 -o -H newc) | gzip -9n >"$out/boot/initrd.img"

# The kernel, and the files for the board's first boot stages.
cp "$tree/boot/vmlinuz-$version" "$out/boot/vmlinuz" 2>/dev/null || cp "$modules/vmlinuz" "$out/boot/vmlinuz"
for name in $trees; do
  find "$tree/usr/lib/linux-image-$version/" -name "$name.dtb" -exec cp {} "$out/boot/" \;
done
firmware=$tree/usr/lib/raspi-firmware
[ -d "$firmware" ] || firmware=$tree/boot/firmware
for file in bootcode.bin start.elf fixup.dat start4.elf fixup4.dat; do
  cp "$firmware/$file" "$out/boot/"
done
for variant in $uboot; do
  cp "$tree/usr/lib/u-boot/$variant/u-boot.bin" "$out/boot/u-boot-$variant.bin"
done

# Wi-Fi firmware of the boards: 43430, 43436, 43455, 43456
(cd "$tree/usr/lib/firmware" && find brcm cypress \( -name '*43430*' -o -name '*43436*' -o -name '*43455*' -o -name '*43456*' \) |
  grep -v -E ',[^,]*\.txt$|\.txt$' >"$work/list" || true
  find brcm -name '*raspberrypi,*.txt' >>"$work/list"
  find brcm \( -lname '*' -a -name '*raspberrypi*' \) >>"$work/list"
  sort -u "$work/list" | tar -cf - -T - | tar -xf - -C "$out/root/usr/lib/firmware")
for name in "$image" $parts raspi-firmware firmware-brcm80211 busybox-static ${uboot:+u-boot-rpi}; do
  mkdir -p "$out/root/usr/share/doc/$name"
  cp "$tree/usr/share/doc/$name/copyright" "$out/root/usr/share/doc/$name/" 2>/dev/null || rmdir "$out/root/usr/share/doc/$name"
done
rm -rf "$work"
