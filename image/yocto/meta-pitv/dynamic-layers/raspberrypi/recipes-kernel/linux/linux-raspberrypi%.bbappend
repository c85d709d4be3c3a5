FILESEXTRAPATHS:prepend:pitv-os := "${THISDIR}/../../../../recipes-kernel/linux/files:"

SRC_URI:append:pitv-os = " file://pitv.cfg file://pitv-rpi.cfg"
SRC_URI:append:pitv-os = " ${@bb.utils.contains('DISTRO_FEATURES', 'rauc', 'file://pitv-update.cfg', '', d)}"
