#!/bin/sh
# Builds the armhf container by buildah: image/container/build.sh [NAME], by default localhost/pitv:armhf.
# Where debian:trixie-slim for armhf is neither here nor to be had from a registry, it is made from Debian
# packages (mmdebstrap) under that very name, so that Dockerfile.armhf stays as it is.
set -eu
cd "$(dirname "$0")/../.."
name=${1:-localhost/pitv:armhf}
base=docker.io/library/debian:trixie-slim
fail() { echo "container: $*" >&2; exit 1; }

for tool in buildah podman; do command -v $tool >/dev/null || fail "$tool is missing"; done
if ! [ -e /proc/sys/fs/binfmt_misc/register ]; then
  mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null || true
fi
case $(uname -m) in
  arm*) ;;
  *) [ -e /proc/sys/fs/binfmt_misc/qemu-arm ] || fail "32-bit ARM programs do not run here: install qemu-user-static" ;;
esac

has_base() { [ "$(podman image inspect --format '{{.Architecture}}' $base 2>/dev/null)" = arm ]; }
if ! has_base && [ "${PITV_CONTAINER_PULL:-no}" = yes ]; then
  podman pull -q --arch arm --variant v7 $base >/dev/null || echo "container: $base cannot be pulled" >&2
fi
if ! has_base; then
  command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing, and $base is not here"
  echo "container: making $base from Debian packages"
  tar=$(mktemp --suffix=.tar)
  trap 'rm -f "$tar"' EXIT
  mmdebstrap --quiet --variant=minbase --architectures=armhf --aptopt='Apt::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    trixie "$tar" ${PITV_IMAGE_MIRROR:+"$PITV_IMAGE_MIRROR"} # or Debian's own
  podman import -q --os linux --arch arm --variant v7 "$tar" $base >/dev/null
fi

# A build host with certificates of its own: npm in the container has to know them, too.
set -- --isolation chroot --network host --os linux --arch arm --variant v7 --pull-never --layers --format docker
if [ -n "${SSL_CERT_FILE:-}" ]; then
  set -- "$@" --volume "$SSL_CERT_FILE:/run/ca.crt:ro" --build-arg NODE_EXTRA_CA_CERTS=/run/ca.crt
fi
buildah bud --quiet "$@" -f Dockerfile.armhf -t "$name" .
podman image inspect --format 'container: {{.Id}}, {{.Size}} bytes' "$name"
