#!/bin/sh
# Makes an apt configuration for the card's architecture, separate from the build host's.
#   apt.sh ARCH DIR    writes DIR/apt.conf (use it with APT_CONFIG=), DIR/sources.list, and DIR/suites.tsv: the suites, and
#                      the dates of their lists
# The mirror is the build host's; PITV_IMAGE_MIRROR sets another one. A system without Debian's security updates is made
# only with PITV_IMAGE_SECURITY=optional.
set -eu
arch=$1
dir=$2
suite=${PITV_IMAGE_SUITE:-trixie}
mirror=${PITV_IMAGE_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m1 '/debian/\?$' || true)}
[ -n "$mirror" ] || { echo "apt.sh: no Debian mirror is configured in apt on this host. Set PITV_IMAGE_MIRROR." >&2; exit 1; }
mirror=${mirror%/}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

rm -rf "$dir"
mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/etc/apt.conf.d" "$dir/etc/preferences.d"
: >"$dir/status"
cat >"$dir/apt.conf" <<END
Dir::Etc "$dir/etc";
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::trusted "/dev/null";
Dir::Etc::trustedparts "/dev/null";
Dir::State "$dir";
Dir::State::lists "$dir/lists";
Dir::State::status "$dir/status";
Dir::Cache "$dir/cache";
APT::Architecture "$arch";
APT::Architectures "$arch";
APT::Install-Recommends "false";
APT::Get::List-Cleanup "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
END

warn() { echo "warning: $*" >&2; }
line() { echo "deb [signed-by=$keyring] $1 $2 main non-free-firmware"; }

# Adds a suite, unless the mirror's copy of it is incomplete. A mirror that is being synchronised may have new lists under
# one name of a release and old, consistent ones under the other: "stable" is the same release, as its signature says.
add() {
  for name in "$2" "stable${2#"$suite"}"; do
    rm -rf "$dir/try"
    mkdir -p "$dir/try/partial"
    line "$1" "$name" >"$dir/try.list"
    APT_CONFIG="$dir/apt.conf" apt-get update -qq --error-on=any -o Dir::Etc::sourcelist="$dir/try.list" \
      -o Dir::State::lists="$dir/try" >"$dir/try.log" 2>&1 || continue
    grep -q "^Codename: $2\$" "$dir"/try/*_InRelease || continue
    cat "$dir/try.list" >>"$dir/sources.list"
    [ "$name" = "$2" ] || warn "$1 has no complete copy of $2 for $arch; using the one that it has under the name $name"
    for release in "$dir"/try/*_InRelease; do
      printf '%s\t%s\n' "$2" "$(date -u -d "$(sed -n 's/^Date: //p' "$release")" +%F)" >>"$dir/suites.tsv"
    done
    return 0
  done
  return 1
}
: >"$dir/sources.list"
add "$mirror" "$suite" || { cat "$dir/try.log" >&2; exit 100; }
add "$mirror" "$suite-updates" || warn "$mirror has no $suite-updates for $arch"
security=${mirror%/debian}/debian-security
if ! add "$security" "$suite-security"; then
  lack="$security has no $suite-security for $arch: the system would have no security updates"
  [ "${PITV_IMAGE_SECURITY-}" = optional ] || {
    cat "$dir/try.log" >&2
    echo "apt.sh: $lack. Set PITV_IMAGE_MIRROR to another mirror, or PITV_IMAGE_SECURITY=optional." >&2
    exit 100
  }
  warn "$lack"
fi
rm -rf "$dir/try" "$dir/try.list" "$dir/try.log"
APT_CONFIG="$dir/apt.conf" apt-get update -qq
