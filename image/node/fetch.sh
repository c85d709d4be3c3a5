#!/bin/sh
# Fetches the Node.js of package-lock.json from the npm registry.
#   fetch.sh x64|arm64 DIR   replaces DIR
# npm ci compares the package with the SHA-512 in the lock file and installs nothing that differs. npm before 10 has no
# --cpu, and installs the package for another processor only with --force.
set -eu
arch=$1
target=$2
here=$(dirname "$0")
new=$target.new
mkdir -p "$(dirname "$target")"
rm -rf "$new"
mkdir "$new"
trap 'rm -rf "$new"' EXIT
cp "$here/package.json" "$here/package-lock.json" "$new"
for force in '' --force; do
  # shellcheck disable=SC2086
  [ -x "$new/node_modules/node-linux-$arch/bin/node" ] ||
    npm ci --silent --ignore-scripts --no-audit --no-fund --os=linux --cpu="$arch" --prefix "$new" $force
done
# The packages are optional, because each is for one processor, so npm does not fail if none can be installed.
[ -x "$new/node_modules/node-linux-$arch/bin/node" ] || {
  echo "npm did not install node-linux-$arch: it could not be fetched, or differs from the lock file." >&2
  exit 1
}
rm -rf "$target"
mv "$new/node_modules/node-linux-$arch" "$target"
