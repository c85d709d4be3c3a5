SUMMARY = "The TV: read-only root, a data partition, settings on the boot partition"
DESCRIPTION = "Runs only pitv. SSH login needs a key, which is set in pitv.txt on the boot partition."

HOMEPAGE = "file:///usr/lib/pitv/README.md"
SECTION = "multimedia"
LICENSE = "MIT"

inherit core-image

IMAGE_FEATURES += "read-only-rootfs"
# pitv-kiosk, with PITV_KIOSK
PITV_KIOSK_PACKAGE ??= ""
# packagegroup-machine-base recommends what the machine names for its hardware, such as the firmware of Wi-Fi chips.
IMAGE_INSTALL = "\
    packagegroup-core-boot \
    packagegroup-machine-base \
    pitv \
    pitv-board \
    pitv-ksm \
    pitv-service \
    ${PITV_KIOSK_PACKAGE} \
"

IMAGE_FSTYPES = "wic.bmap wic.xz"
WKS_FILE = "pitv.wks"
IMAGE_BOOT_FILES:append = " pitv.txt"
do_image_wic[depends] += "pitv-system:do_deploy"
# With PITV_UPDATE_KEY: a card with two systems.
PITV_CARD_CLASS ??= ""
inherit_defer ${PITV_CARD_CLASS}

# The emulated board gets its kernel from QEMU. It has the memory of a Pi B and no card, so its data is in memory. With
# runqemu the TV is at http://localhost:18080.
IMAGE_FSTYPES:qemuarm = "ext4"
QB_DEFAULT_FSTYPE:qemuarm = "ext4"
QB_MEM:qemuarm = "-m 512"
QB_KERNEL_ROOT:qemuarm = "/dev/vda ro"
QB_SLIRP_OPT:qemuarm = "-netdev user,id=net0,hostfwd=tcp:127.0.0.1:2222-:22,hostfwd=tcp:127.0.0.1:18080-:80"

# Runs the script of the Debian card for files that a package cannot own: fstab, hosts, masked units. Then makes the
# mount points of fstab, which cannot be made later on the read-only root. :append makes it run after the functions of
# the classes, one of which enables all units by systemd's presets.
pitv_install_common() {
    sh ${DEPLOY_DIR_IMAGE}/pitv-common/install.sh ${IMAGE_ROOTFS} ${MACHINE}
    while read -r what where rest; do
        if [ "$what" = tmpfs ]; then
            mkdir -p ${IMAGE_ROOTFS}$where
        fi
    done < ${IMAGE_ROOTFS}${sysconfdir}/fstab
}
pitv_install_common[doc] = "Installs the common files of the Debian card"
ROOTFS_POSTPROCESS_COMMAND:append = " pitv_install_common"
do_rootfs[depends] += "pitv-system:do_deploy"

# nooelint: oelint.task.noanonpython - the reason for skipping the recipe must be given while it is parsed
python () {
    if "pitv-os" not in d.getVar("DISTROOVERRIDES").split(":"):
        raise bb.parse.SkipRecipe(
            'made for DISTRO = "pitv-os", not "%s": without it neither kernel nor command line fit its card'
            % d.getVar("DISTRO")
        )
    layers = d.getVar("BBFILE_COLLECTIONS").split()
    for setting, layer in (("PITV_UPDATE_KEY", "rauc"), ("PITV_KIOSK", "webkit")):
        if d.getVar(setting) and layer not in layers:
            raise bb.parse.SkipRecipe("%s needs the layer meta-%s" % (setting, layer))
}
