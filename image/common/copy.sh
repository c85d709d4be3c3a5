#!/bin/sh
# Copies the files of a system, with the modes that they have on a card: those of a checkout may differ.
#   copy.sh FROM TO
set -eu
(cd "$1" && find . -type f) | while read -r file; do
  mode=0644
  case $file in ./usr/libexec/*) mode=0755 ;; esac
  install -D -m $mode "$1/$file" "$2/$file"
  # A unit that names the common sandbox gets it as a drop-in.
  if [ "${file##*.}" = service ] && grep -q '^# pitv-sandbox.conf' "$1/$file"; then
    mkdir -p "$2/$file.d"
    ln -sf ../pitv-sandbox.conf "$2/$file.d/sandbox.conf"
  fi
done
