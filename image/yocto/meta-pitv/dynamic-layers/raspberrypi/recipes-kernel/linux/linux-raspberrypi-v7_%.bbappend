FILESEXTRAPATHS:prepend:rpi := "${THISDIR}/../../../../recipes-kernel/linux/files:"

SRC_URI:append:rpi = " file://pitv.cfg file://pitv-rpi.cfg"
