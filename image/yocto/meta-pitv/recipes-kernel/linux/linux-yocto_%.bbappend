FILESEXTRAPATHS:prepend:qemuarm := "${THISDIR}/files:"

# For the emulated board.
SRC_URI:append:qemuarm = " file://pitv.cfg"
