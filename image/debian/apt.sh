#!/bin/sh
# Makes an apt configuration for the card's architecture, separate from the build host's.
#   apt.sh ARCH DIR    writes DIR/apt.conf (use it with APT_CONFIG=) and DIR/sources.list
# The mirror is the one the build host installs from; PITV_IMAGE_MIRROR names another.
set -eu
arch=$1
dir=$2
suite=${PITV_IMAGE_SUITE:-trixie}
mirror=${PITV_IMAGE_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m1 '/debian/\?$' || true)}
[ -n "$mirror" ] || { echo "apt.sh: this host's apt has no Debian mirror: name one by PITV_IMAGE_MIRROR" >&2; exit 1; }
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

line() { echo "deb [signed-by=$keyring] $1 $2 main non-free-firmware"; }
line "$mirror" "$suite" >"$dir/sources.list"
APT_CONFIG="$dir/apt.conf" apt-get update -qq
# A mirror without these, or one that is being synchronised, must not stop the build.
for more in "$mirror $suite-updates" "${mirror%/debian}/debian-security $suite-security"; do
  # shellcheck disable=SC2086
  line $more >"$dir/try.list"
  if APT_CONFIG="$dir/apt.conf" apt-get update -qq --error-on=any -o Dir::Etc::sourcelist="$dir/try.list" >/dev/null 2>&1; then
    cat "$dir/try.list" >>"$dir/sources.list"
  else
    echo "image: $more is not available for $arch; continuing without it" >&2
  fi
done
rm "$dir/try.list"
APT_CONFIG="$dir/apt.conf" apt-get update -qq
