#!/bin/sh
# Adds Debian's backports to the apt configuration that apt.sh has written to DIR. Only kernels are taken from there.
#   backports.sh DIR
set -eu
dir=$1
suite=${PITV_IMAGE_SUITE:-trixie}-backports
source=$(sed -n "1s/ [^ ]* main / $suite main /p" "$dir/sources.list")
echo "$source" >>"$dir/sources.list"
printf 'Package: linux-*\nPin: release n=%s\nPin-Priority: 990\n' "$suite" >"$dir/etc/preferences.d/backports"
APT_CONFIG="$dir/apt.conf" apt-get update -qq --error-on=any
