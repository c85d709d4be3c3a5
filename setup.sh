#!/bin/sh
# Installs what is missing: Debian packages, Node.js 20 or later, node_modules, the addons, the pages for old browsers.
#   ./setup.sh run         what the TV needs (the default)
#   ./setup.sh test        also what `make test` needs
#   ./setup.sh wasm        also what `make wasm` needs: clang
#   ./setup.sh image       what SD cards need
#   ./setup.sh npm         what the npm packages need: compilers for every processor; also what tests need
#   ./setup.sh container   what the armhf container needs
#   ./setup.sh all         everything, for `make test-long` and `make test-all`
# packages.txt lists the packages of each group. As root this script installs them; as another user it prints the
# command to install them. It changes nothing if nothing is missing.
set -eu
cd "$(dirname "$0")"
what=${1:-run}
case $what in
  run | test | wasm | image | npm | container | all) ;;
  *) echo "usage: $0 run|test|wasm|image|npm|container|all" >&2; exit 2 ;;
esac

fail() { echo "pitv: $*" >&2; exit 1; }
NEW_ENOUGH='parseInt(process.versions.node) >= 20'
WITHOUT_SNAPSHOT='process.config.variables.node_use_node_snapshot === false'
node_is() { [ "$(node -p "$1" 2>/dev/null)" = true ]; } # whether an expression is true in the installed Node.js
PATH="$PWD/.cache/node/bin:$PATH"
# Waits while another apt, such as Debian's own of each day, has the lock. Only that of dpkg has an option for it.
aptget() {
  for try in $(seq 120); do
    said=$(LC_ALL=C apt-get -qq -o DPkg::Lock::Timeout=600 "$@" 2>&1 >/dev/null) && return
    case $said in *'Could not get lock'* | *'Unable to lock'*) ;; *) break ;; esac
    [ "$try" -gt 1 ] || echo 'pitv: waiting for another apt, which has the lock'
    sleep 5
  done
  echo "$said" >&2
  fail "apt-get $1 failed; see above."
}

missing=
while read -r group package command; do
  case $group in '' | '#'*) continue ;; esac
  case $what:$group in *:run | all:* | "$what:$what") ;; *) continue ;; esac
  [ "$command" != - ] && command -v "$command" >/dev/null 2>&1 && continue
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' && continue
  case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
done <packages.txt

if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || fail "packages are missing:$missing. Install them with the package manager of this system, then run this again."
  if [ "$(id -u)" != 0 ]; then
    echo "pitv: some packages are missing. Install them with this command, then run this again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
  fi
  echo "pitv: installing$missing"
  export DEBIAN_FRONTEND=noninteractive
  aptget update
  # shellcheck disable=SC2086
  aptget install -y --no-install-recommends $missing
fi

# A stamp in node_modules has the hash of its lock file, and says whether the packages for tests are installed.
case $what in test | npm | all) wanted='test' omit= ;; *) wanted=run omit=--omit=dev ;; esac
lock=$(sha256sum package-lock.json | cut -d' ' -f1)
stamp=node_modules/.pitv-setup
case $(cat "$stamp" 2>/dev/null || true) in
  "$lock test" | "$lock $wanted") dependencies=present ;;
  *) dependencies=missing ;;
esac

# Debian 12 has Node.js 18, which is too old. Debian 13 builds its own without a start-up snapshot, so every process
# takes longer to start. A better one is fetched from the npm registry into .cache/node. image/node has its exact
# version and SHA-512.
if ! node_is "$NEW_ENOUGH" || { [ $dependencies = missing ] && node_is "$WITHOUT_SNAPSHOT"; }; then
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) arch= ;;
  esac
  if [ -n "$arch" ]; then
    echo "pitv: Node.js $(node --version) is too old or starts slowly; fetching another into .cache/node"
    image/node/fetch.sh "$arch" .cache/node || echo "pitv: npm could not fetch Node.js; see above." >&2
    hash -r # the shell has cached the path of node
  fi
  node_is "$NEW_ENOUGH" || fail "Node.js $(node --version) is too old. Install Node.js 20 or later, then run this again."
fi

if [ $dependencies = missing ]; then
  echo "pitv: installing Node.js dependencies"
  # shellcheck disable=SC2086
  NODE_OPTIONS=--no-deprecation npm ci --no-fund --no-audit --loglevel=error $omit || fail "npm ci failed; see above."
  echo "$lock $wanted" >"$stamp"
fi

make --no-print-directory -j "$(nproc)" native pages

# The kernel runs programs for ARM with QEMU (binfmt_misc). Without systemd, or before a restart, QEMU has not been
# registered.
case $what in image | container | all) emulates=yes ;; *) emulates=no ;; esac
if [ $emulates = yes ] && [ "$(id -u)" = 0 ]; then
  binfmt=/proc/sys/fs/binfmt_misc
  # With `all` this is not an error, because tests that need it are skipped.
  [ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt ||
    [ "$what" = all ] || fail "binfmt_misc cannot be mounted on $binfmt."
  for each in arm aarch64; do
    [ ! -e $binfmt/register ] || [ -e $binfmt/qemu-$each ] || [ ! -e /usr/lib/binfmt.d/qemu-$each.conf ] ||
      cat /usr/lib/binfmt.d/qemu-$each.conf >$binfmt/register
  done
fi
