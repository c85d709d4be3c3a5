SUMMARY = "The TV with tools for developers"
DESCRIPTION = "pitv-image with npm, measuring tools, a debugger, Node's inspector, and root without a password."

require pitv-image.inc

# Do not publish cards with this image.
# nooelint: oelint.var.badimagefeature - this image is for developers
IMAGE_FEATURES += "empty-root-password tools-debug tools-profile"
IMAGE_INSTALL += "ethtool htop iperf3 nodejs-npm openssh-sftp-server rsync smemstat stress-ng"

# Root can log in without a password at the television's second console and at a serial console, which install.sh
# disables in other images. SSH login still needs a key.
pitv_dev_login() {
    sed -i 's/^root:[^:]*:/root::/' ${IMAGE_ROOTFS}${sysconfdir}/shadow
    rm -f ${IMAGE_ROOTFS}${sysconfdir}/systemd/system/autovt@.service \
        ${IMAGE_ROOTFS}${sysconfdir}/systemd/system/serial-getty@.service
    # By default, the login of shadow refuses the superuser without a password.
    defs=${IMAGE_ROOTFS}${sysconfdir}/login.defs
    if [ -e $defs ]; then
        sed -i '/^#*[[:space:]]*PREVENT_NO_AUTH/d' $defs
        echo 'PREVENT_NO_AUTH no' >> $defs
    fi
}
pitv_dev_login[doc] = "Lets root log in at the consoles"
ROOTFS_POSTPROCESS_COMMAND:append = " pitv_dev_login"

# The inspector of the main thread accepts connections from the board only: ssh -L 9229:localhost:9229
pitv_inspector() {
    install -d ${IMAGE_ROOTFS}${sysconfdir}/systemd/system/pitv.service.d
    printf '[Service]\nEnvironment=NODE_OPTIONS=--inspect=127.0.0.1:9229\n' \
        > ${IMAGE_ROOTFS}${sysconfdir}/systemd/system/pitv.service.d/inspect.conf
}
pitv_inspector[doc] = "Enables Node's inspector in the TV"
ROOTFS_POSTPROCESS_COMMAND:append = " pitv_inspector"
