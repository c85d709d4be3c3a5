#!/bin/sh
# Copies the files of a system, with the modes that they have on a card: those of a checkout may differ.
#   copy.sh FROM TO
set -eu
(cd "$1" && find . -type f) | while read -r file; do
  mode=0644
  case $file in ./usr/libexec/*) mode=0755 ;; esac
  install -D -m $mode "$1/$file" "$2/$file"
done
