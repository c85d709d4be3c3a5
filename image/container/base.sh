#!/bin/sh
# Makes what a registry has as debian:trixie-slim.
#   base.sh ARCH APT OUT   ARCH is Debian's word, APT a folder of image/debian/apt.sh; writes OUT/base.tar
# Needs mmdebstrap, for another processor qemu-user-static registered with binfmt_misc too; root or a
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
