FILESEXTRAPATHS:prepend:pitv-os := "${THISDIR}/../../../../recipes-kernel/linux/files:"

SRC_URI:append:pitv-os = " file://pitv.cfg file://pitv-rpi.cfg"
