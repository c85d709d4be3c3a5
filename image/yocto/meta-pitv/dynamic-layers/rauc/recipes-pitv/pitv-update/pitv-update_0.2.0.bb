SUMMARY = "Signed updates of a card with two systems"
DESCRIPTION = "RAUC's configuration, units that install updates and mark a system as good, and what U-Boot needs to choose one."

DEPENDS = "dosfstools-native mtools-native u-boot-mkenvimage-native u-boot-mkimage-native"

require recipes-pitv/pitv/pitv.inc

# What updates the card trusts
FILESEXTRAPATHS:prepend := "${PITV_UPDATE_KEY}:"
SRC_URI += "file://keyring.pem"

inherit systemd kernel-arch deploy
REQUIRED_DISTRO_FEATURES += "rauc"
COMPATIBLE_MACHINE = "^rpi$"
PACKAGE_ARCH = "${MACHINE_ARCH}"

B = "${WORKDIR}/build"

do_compile() {
    from=${S}/image/update/boot
    mkimage -A ${UBOOT_ARCH} -T script -C none -n pitv -d $from/boot.cmd ${B}/boot.scr
    mkenvimage -s 0x4000 -p 0 -o ${B}/uboot.env $from/uboot-${UBOOT_ARCH}.txt
    mkenvimage -s 0x200 -p 0 -o ${B}/choice.bin $from/choice.txt
}

do_install() {
    sh ${S}/image/update/install.sh ${D} ${PITV_SYSTEM} ${UNPACKDIR}/keyring.pem
    rm -r ${D}${sysconfdir}/systemd # systemd.bbclass enables the units
    install -d ${D}${nonarch_libdir}/pitv-image
    echo "${PV}" > ${D}${nonarch_libdir}/pitv-image/version
}

# For the card and the bundle. A boot slot has only the kernel: U-Boot takes the firmware's device tree when there is none.
do_deploy() {
    to=${DEPLOYDIR}/pitv-update
    install -d $to
    install -m 0644 ${B}/boot.scr ${B}/uboot.env ${B}/choice.bin ${S}/image/update/boot/card.sfdisk $to
    rm -f $to/boot.img
    mkfs.vfat -F 32 -n PITVSYSTEM --invariant -C $to/boot.img 40960
    mcopy -i $to/boot.img ${DEPLOY_DIR_IMAGE}/${KERNEL_IMAGETYPE} ::vmlinuz
}
do_deploy[depends] += "virtual/kernel:do_deploy"
addtask deploy after do_install before do_build

FILES:${PN} = "${sysconfdir} ${nonarch_libdir} ${systemd_system_unitdir}"
SYSTEMD_SERVICE:${PN} = "pitv-confirm.service pitv-update.path"
RDEPENDS:${PN} = "kmod libubootenv-bin pitv-board rauc rauc-service"
RPROVIDES:${PN} = "virtual-rauc-conf"
