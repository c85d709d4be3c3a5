#!/bin/sh
# Fetches the Node.js of package-lock.json from the npm registry, also for another processor than this machine's.
#   fetch.sh x64|arm64 DIR   replaces DIR
# A package that differs from the SHA-512 in the lock file is refused.
set -eu
name=node-linux-$1
target=$2
here=$(cd "$(dirname "$0")" && pwd)
new=$target.new
mkdir -p "$(dirname "$target")"
rm -rf "$new"
mkdir "$new"
trap 'rm -rf "$new"' EXIT
pinned=$(node -p "const { version, integrity } = require('$here/package-lock.json').packages['node_modules/$name']; version + ' ' + integrity")
# npm install and npm ci before npm 10 leave out packages for another processor.
file=$new/$(npm pack --silent --pack-destination "$new" "$name@${pinned% *}")
hash=$(node -p "'sha512-' + crypto.createHash('sha512').update(fs.readFileSync('$file')).digest('base64')")
[ "$hash" = "${pinned#* }" ] || { echo "$name ${pinned% *} differs from the lock file." >&2; exit 1; }
tar -xzf "$file" -C "$new" --no-same-owner --strip-components=1
rm "$file"
chmod 755 "$new/bin/node"
rm -rf "$target"
mv "$new" "$target"
