#!/bin/sh
# Installs the common parts of pitv's systems into a root file system:
#   install.sh ROOTFS BOARD          BOARD: armhf, armel, arm64, or any other word
# Copies root/, makes the users, enables, masks and defers units. It runs no program of ROOTFS, so
# ROOTFS may be for another processor. A second run changes nothing. The caller provides the app (ROOTFS/usr/lib/pitv), the packages
# and the boot partition.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] && [ -d "$1" ] || { echo "usage: $0 ROOTFS BOARD" >&2; exit 2; }
rootfs=$(cd "$1" && pwd)
board=$2
[ "$rootfs" != / ] || { echo "$0: ROOTFS must not be the running system" >&2; exit 2; }
units=$rootfs/usr/lib/systemd/system

lines() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$@"; }

# 1. Files.
sh "$here/copy.sh" "$here/root" "$rootfs"

# 2. Users: lines of type u in sysusers.d(5). systemd-sysusers cannot do it, because /etc is read-only.
add_user() { # $1: a file of etc, $2: the fields after the name
  [ ! -e "$rootfs/etc/$1" ] || grep -q "^$name:" "$rootfs/etc/$1" || echo "$name:$2" >>"$rootfs/etc/$1"
}
lines "$rootfs"/usr/lib/sysusers.d/pitv*.conf | while read -r line; do
  eval "set -- $(printf '%s' "$line" | tr -d '$`\\;')"
  name=$2 id=$3 comment=$4 home=$5 shell=$6
  mkdir -p "$rootfs/etc"
  touch "$rootfs/etc/passwd" "$rootfs/etc/group"
  add_user group "x:$id:"
  add_user passwd "x:$id:$id:$comment:$home:$shell"
  add_user shadow '!*:::::::'
  add_user gshadow '!*::'
done
# No password for root. The account is not locked, because a lock also prevents login with a key (sshd(8)).
[ ! -e "$rootfs/etc/shadow" ] || sed -i 's/^root:[^:]*:/root:*:/' "$rootfs/etc/shadow"

# 3. Units, enabled like `systemctl enable` does, from [Install].
enable_unit() {
  file=$units/$1
  [ -e "$file" ] || { echo "install.sh: $1 does not exist and is not enabled" >&2; return 0; }
  for target in $(sed -n 's/^WantedBy=//p' "$file"); do
    mkdir -p "$rootfs/etc/systemd/system/$target.wants"
    ln -sfn "/usr/lib/systemd/system/$1" "$rootfs/etc/systemd/system/$target.wants/$1"
  done
  for alias in $(sed -n 's/^Alias=//p' "$file"); do
    ln -sfn "/usr/lib/systemd/system/$1" "$rootfs/etc/systemd/system/$alias"
  done
}
lines "$here/enabled.txt" | while read -r unit; do enable_unit "$unit"; done
lines "$here/masked.txt" | while read -r unit; do
  # Programs that generate units at each start (systemd.generator(7)) are masked in another folder.
  case $unit in
    *-generator)
      [ -e "$rootfs/usr/lib/systemd/system-generators/$unit" ] || continue
      mkdir -p "$rootfs/etc/systemd/system-generators"
      ln -sfn /dev/null "$rootfs/etc/systemd/system-generators/$unit"
      continue
      ;;
  esac
  # For an instance (getty@tty1.service) only the template exists.
  [ -e "$units/$unit" ] || [ -e "$units/${unit%%@*}@.${unit##*.}" ] || continue
  ln -sfn /dev/null "$rootfs/etc/systemd/system/$unit"
done

lines "$here/later.txt" | while read -r unit; do
  rm -f "$rootfs"/etc/systemd/system/*.wants/"$unit" "$units"/*.wants/"$unit"
done

# 4. The read-only root: files that change are in /run, /data or memory.
mkdir -p "$rootfs/data" "$rootfs/boot/firmware" "$rootfs/etc"
ln -sfn /run/pitv/localtime "$rootfs/etc/localtime"
ln -sfn /run/systemd/resolve/resolv.conf "$rootfs/etc/resolv.conf"
rm -f "$rootfs/etc/timezone"
: >"$rootfs/etc/machine-id" # systemd mounts a new id over it, in memory (machine-id(5))
rm -f "$rootfs/var/lib/dbus/machine-id" "$rootfs"/etc/ssh/ssh_host_*
[ ! -d "$rootfs/var/lib/dbus" ] || ln -sfn /etc/machine-id "$rootfs/var/lib/dbus/machine-id"
echo pitv >"$rootfs/etc/hostname"
cat >"$rootfs/etc/hosts" <<'HOSTS'
127.0.0.1 localhost
127.0.1.1 pitv
::1       localhost ip6-localhost ip6-loopback
HOSTS
cat >"$rootfs/etc/fstab" <<'FSTAB'
# The kernel's command line mounts the root read-only, and pitv-data.service mounts /data.
/dev/pitv-card1 /boot/firmware vfat ro,noatime,nofail,umask=0077,x-systemd.device-timeout=300s,x-systemd.before=pitv-setup.service 0 0
tmpfs /tmp             tmpfs nodev,nosuid,mode=1777,size=20%   0 0
tmpfs /var/tmp         tmpfs nodev,nosuid,mode=1777,size=8m    0 0
tmpfs /var/log         tmpfs nodev,nosuid,noexec,mode=0755,size=4m 0 0
tmpfs /var/lib/systemd tmpfs nodev,nosuid,noexec,mode=0755,size=4m 0 0
tmpfs /var/cache       tmpfs nodev,nosuid,noexec,mode=0755,size=4m 0 0
FSTAB
ln -sfn ../lib/pitv/app/cli.js "$rootfs/usr/bin/pitv"

# 5. The name of the card, for the admin page.
mkdir -p "$rootfs/usr/lib/pitv-image"
echo "$board" >"$rootfs/usr/lib/pitv-image/board"
