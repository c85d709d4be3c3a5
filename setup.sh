#!/bin/sh
# Sets up what is missing: Debian packages, a Node.js that is new enough, node_modules, the addon.
#   ./setup.sh run     what the TV needs
#   ./setup.sh test    what the tests need on top; as root also what the next two want, for their tests
#   ./setup.sh image   what the SD card needs on top of `run`
#   ./setup.sh container   the same for the armhf container
# Run again, it does nothing. As root it installs packages; otherwise it prints the command that does.
set -eu
cd "$(dirname "$0")"
what=${1:-run}
case $what in run | test | image | container) ;; *) echo "usage: $0 run|test|image|container" >&2; exit 2 ;; esac

fail() { echo "pitv: $*" >&2; exit 1; }
node_major() { node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0; }
PATH="$PWD/.cache/node/bin:$PATH"

missing=
while read -r when package command; do
  case $when in
    run) ;;
    test) [ "$what" = test ] || continue ;;
    # Without root their tests are skipped, and nobody is asked for a gigabyte of packages.
    image | container) [ "$what" = "$when" ] || { [ "$what" = test ] && [ "$(id -u)" = 0 ]; } || continue ;;
    *) continue ;;
  esac
  [ "$command" != - ] && command -v "$command" >/dev/null 2>&1 && continue
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' && continue
  missing="$missing $package"
done <packages.txt

if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || fail "these packages are missing:$missing. Install them with your system's package manager, then run this again."
  if [ "$(id -u)" != 0 ]; then
    echo "pitv: some packages are missing. Install them with this line, then run this again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
  fi
  echo "pitv: installing$missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq || fail "apt-get update failed; see above."
  # shellcheck disable=SC2086
  apt-get install -y -qq --no-install-recommends $missing >/dev/null || fail "apt-get install failed; see above."
fi

# Debian 12 has Node.js 18: then one from the npm registry is put beside the project. image/node has its exact
# version and the SHA-512 of its package, which npm checks.
if [ "$(node_major)" -lt 20 ]; then
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) fail "Node.js $(node --version) is too old, 20 or later is needed. Install it for $(uname -m), then run this again." ;;
  esac
  echo "pitv: Node.js $(node --version) is too old, fetching another into .cache/node"
  image/node/fetch.sh "$arch" .cache/node || fail "npm could not fetch Node.js; see above."
  hash -r # the shell remembers where node was
  [ "$(node_major)" -ge 20 ] || fail "the Node.js fetched into .cache/node does not run here. Install Node.js 20 or later, then run this again."
fi

# node_modules carries the hash of the lock file it was made from; all of it serves `run` too.
lock=$(sha256sum package-lock.json | cut -d' ' -f1)
stamp=node_modules/.pitv-setup
have=$(cat "$stamp" 2>/dev/null || true)
wanted=run
[ "$what" != test ] || wanted='test'
if [ "$have" != "$lock test" ] && { [ "$wanted" = test ] || [ "$have" != "$lock run" ]; }; then
  if [ "$wanted" = test ]; then omit=; else omit=--omit=dev; fi
  echo "pitv: installing Node.js dependencies"
  # shellcheck disable=SC2086
  NODE_OPTIONS=--no-deprecation npm ci --no-fund --no-audit --loglevel=error $omit || fail "npm ci failed; see above."
  echo "$lock $wanted" >"$stamp"
fi

make --no-print-directory native

# Programs of other machines run by themselves (binfmt_misc); a system that has just been installed, or
# has no systemd, has not been told so yet.
case $what in test | image | container) emulates=yes ;; *) emulates=no ;; esac
if [ $emulates = yes ] && [ "$(id -u)" = 0 ]; then
  binfmt=/proc/sys/fs/binfmt_misc
  [ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt ||
    [ "$what" = test ] || fail "binfmt_misc cannot be mounted on $binfmt."
  for each in arm aarch64; do
    [ ! -e $binfmt/register ] || [ -e $binfmt/qemu-$each ] || [ ! -e /usr/lib/binfmt.d/qemu-$each.conf ] ||
      cat /usr/lib/binfmt.d/qemu-$each.conf >$binfmt/register
  done
fi
