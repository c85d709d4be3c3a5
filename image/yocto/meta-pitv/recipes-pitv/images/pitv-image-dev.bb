SUMMARY = "The TV with what its developers want on it"
DESCRIPTION = "pitv-image with npm, tools that measure, a debugger, Node's inspector, and root without a password."

require pitv-image.inc

# Never for a card that leaves the house.
# nooelint: oelint.var.badimagefeature - that is what this image is for
IMAGE_FEATURES += "empty-root-password tools-debug tools-profile"
IMAGE_INSTALL += "\
    ethtool \
    htop \
    iperf3 \
    nodejs-npm \
    openssh-sftp-server \
    rsync \
    smem \
    stress-ng \
"

# Root logs in without a password at the television's second console and at a serial one, which install.sh
# keeps from the TV that is handed out. By SSH it is a key here as well.
pitv_dev_login() {
    sed -i 's/^root:[^:]*:/root::/' ${IMAGE_ROOTFS}${sysconfdir}/shadow
    rm -f ${IMAGE_ROOTFS}${sysconfdir}/systemd/system/autovt@.service \
        ${IMAGE_ROOTFS}${sysconfdir}/systemd/system/serial-getty@.service
}
pitv_dev_login[doc] = "Lets root log in at the consoles"
ROOTFS_POSTPROCESS_COMMAND += "pitv_dev_login"

# For the main thread, and only from the board itself: ssh -L 9229:localhost:9229
pitv_inspector() {
    install -d ${IMAGE_ROOTFS}${sysconfdir}/systemd/system/pitv.service.d
    printf '[Service]\nEnvironment=NODE_OPTIONS=--inspect=127.0.0.1:9229\n' \
        > ${IMAGE_ROOTFS}${sysconfdir}/systemd/system/pitv.service.d/inspect.conf
}
pitv_inspector[doc] = "Has the TV listen for Node's inspector"
ROOTFS_POSTPROCESS_COMMAND += "pitv_inspector"
