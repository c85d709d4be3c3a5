#!/bin/sh
# Makes an equivalent of the image debian:trixie-slim.
#   base.sh ARCH APT OUT   ARCH: Debian's architecture; APT: a folder of image/debian/apt.sh; writes OUT/base.tar
# Needs mmdebstrap; for another processor also qemu-user-static, registered with binfmt_misc; and root or a
# subuid range.
set -eu
mmdebstrap --quiet --variant=minbase --architectures="$1" \
  --aptopt='Apt::Install-Recommends "false"' \
  --aptopt='Acquire::Languages "none"' \
  --dpkgopt=force-unsafe-io \
  --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  "${PITV_IMAGE_SUITE:-trixie}" "$3/base.tar" "$2/sources.list"
