# A card with two systems: the boot partition with U-Boot, two slots for a kernel, two for a root, and the data partition. The
# places are those of the Debian card (card.sfdisk, from the archive). Only the first system is written.

IMAGE_INSTALL += "pitv-update"
# pitv marks a system as good when it has seen it work. This package would do so at each start.
BAD_RECOMMENDATIONS += "rauc-mark-good"

IMAGE_FSTYPES = "${PITV_ROOT_FSTYPE} pitvcard.bmap pitvcard.xz"
IMAGE_TYPES += "pitvcard"
# nooelint: oelint.vars.specific - types of images, which the tool takes for overrides
IMAGE_TYPEDEP:pitvcard = "${PITV_ROOT_FSTYPE}"
# nooelint: oelint.vars.specific - likewise
EXTRA_IMAGECMD:squashfs-lz4 = "-Xhc"

do_image_pitvcard[depends] += "\
    dosfstools-native:do_populate_sysroot \
    mtools-native:do_populate_sysroot \
    pitv-system:do_deploy \
    pitv-update:do_deploy \
    rpi-bootfiles:do_deploy \
    u-boot:do_deploy \
    util-linux-native:do_populate_sysroot \
    virtual/kernel:do_deploy \
"

# nooelint: oelint.task.docstrings - not a task of its own
IMAGE_CMD:pitvcard () {
    card=${IMGDEPLOYDIR}/${IMAGE_NAME}.pitvcard
    root=${IMGDEPLOYDIR}/${IMAGE_NAME}.${PITV_ROOT_FSTYPE}
    parts=${DEPLOY_DIR_IMAGE}/pitv-update

    # A partition's first sector, or its number of sectors
    sectors() { # $1: start or size, $2: number of the partition
        sed -n "s/^card$2 : .*\b$1=\([0-9]*\).*/\1/p" "$parts/card.sfdisk"
    }
    put() { # $1: file, $2: first sector, $3: number of sectors
        if [ $(stat -Lc %s "$1") -gt $(expr $3 \* 512) ]; then
            bbfatal "$1 is larger than its partition, which has $(expr $3 / 2048) MiB"
        fi
        # Also its zeros: a flasher that follows the bmap leaves what the card had before where there are holes.
        dd if="$1" of="$card" bs=64K seek=$(expr $2 \* 512) oflag=seek_bytes conv=notrunc status=none
    }

    rm -rf "$card" "${WORKDIR}/card"
    mkdir -p "${WORKDIR}/card/boot"
    truncate -s $(expr \( $(sectors start 3) + $(sectors size 3) \) \* 512) "$card"
    sfdisk --quiet --no-tell-kernel "$card" < "$parts/card.sfdisk"

    # An entry is a file, or file;name, or a pattern.
    for entry in $(printf '%s' "${IMAGE_BOOT_FILES}"); do
        case $entry in
        *\;*) install -D -m 0644 "${DEPLOY_DIR_IMAGE}/${entry%%;*}" "${WORKDIR}/card/boot/${entry#*;}" ;;
        *) cp -rL ${DEPLOY_DIR_IMAGE}/$entry "${WORKDIR}/card/boot/" ;;
        esac
    done
    mkfs.vfat -F 32 -n PITVBOOT --invariant -C "${WORKDIR}/card/boot.img" $(expr $(sectors size 1) / 2)
    mcopy -s -i "${WORKDIR}/card/boot.img" "${WORKDIR}"/card/boot/* ::

    put "${WORKDIR}/card/boot.img" $(sectors start 1) $(sectors size 1)
    # The choice of the system, twice: CHOICE_OFFSETS in image/sd/card.js
    put "$parts/choice.bin" 2048 1
    put "$parts/choice.bin" 4096 1
    put "$parts/boot.img" $(sectors start 5) $(sectors size 5)
    put "$root" $(sectors start 6) $(sectors size 6)
    # pitv-data makes a file system where there is none.
    data=$(expr $(sectors start 3) \* 512)
    dd if=/dev/zero of="$card" bs=64K count=1 seek=$data oflag=seek_bytes conv=notrunc status=none
}
