#!/bin/sh
# Makes the icons of the home screen from lib/icon.svg. Needs Chromium.
set -eu
cd "$(dirname "$0")"

# make FILE SIZE STYLE: draws the icon with a style of the picture, in a square of SIZE px
make() {
  page=$(mktemp --suffix .html)
  printf '<body style="margin:0;background:#0b0822"><img src="data:image/svg+xml;base64,%s" style="display:block;%s">' \
    "$(base64 -w 0 ../lib/icon.svg)" "$3" >"$page"
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
    --window-size="$2,$2" --screenshot="$PWD/$1" "file://$page" 2>/dev/null
  rm "$page"
}

make icon-192.png 192 'width:192px'
make icon-512.png 512 'width:512px'
make maskable-512.png 512 'width:410px;margin:51px' # the system cuts off a tenth at each edge
make apple-180.png 180 'width:180px'
