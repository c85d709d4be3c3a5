FILESEXTRAPATHS:prepend:pitv-os := "${THISDIR}/files:"

# For the emulated board.
SRC_URI:append:pitv-os = " file://pitv.cfg"
