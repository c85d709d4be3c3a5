SUMMARY = "Units, users and settings of a system that runs only the TV"
DESCRIPTION = "pitv-service runs the TV on any system, pitv-ksm merges its memory, pitv-board is the rest of the card."

require recipes-pitv/pitv/pitv.inc

inherit systemd useradd deploy

do_compile[noexec] = "1"

do_install() {
    sh ${S}/image/common/copy.sh ${S}/image/common/root ${D}
    # Debian's ssh.service is called sshd.service here. Its ExecStartPre= makes the host keys.
    install -d ${D}${systemd_system_unitdir}/sshd.service.d
    ln -s ../ssh.service.d/pitv.conf ${D}${systemd_system_unitdir}/sshd.service.d/
    ln -s /dev/null ${D}${sysconfdir}/systemd/system/sshdgenkeys.service
}

# For the boot partition and for the image's root.
do_deploy() {
    install -m 0644 ${S}/image/common/boot/pitv.txt ${DEPLOYDIR}/pitv.txt
    cp -R --no-dereference --preserve=mode ${S}/image/common ${DEPLOYDIR}/pitv-common
}
addtask deploy after do_install before do_build

PACKAGES = "pitv-service pitv-ksm pitv-board"

FILES:pitv-service = "\
    ${systemd_system_unitdir}/pitv.service \
    ${systemd_system_unitdir}/pitv-sandbox.conf \
    ${nonarch_libdir}/*.d \
    ${nonarch_libdir}/udev \
"
FILES:pitv-ksm = "${systemd_system_unitdir}/pitv-ksm.service*"
FILES:pitv-board = "${sysconfdir} ${libexecdir} ${systemd_system_unitdir}"

SYSTEMD_PACKAGES = "pitv-service pitv-ksm pitv-board"
SYSTEMD_SERVICE:pitv-service = "pitv.service"
SYSTEMD_SERVICE:pitv-ksm = "pitv-ksm.service"
SYSTEMD_SERVICE:pitv-board = "\
    pitv-fleet.service \
    pitv-data.service \
    pitv-setup.service \
    pitv-console.service \
    pitv-console.path \
    pitv-power.path \
    pitv-access-point.timer \
    pitv-zram.service \
    pitv-clock.timer \
    pitv-later.service \
"

# The same as in sysusers.d/pitv.conf.
USERADD_PACKAGES = "pitv-service"
GROUPADD_PARAM:pitv-service = "--system --gid 970 pitv"
USERADD_PARAM:pitv-service = "--system --uid 970 --no-create-home --home-dir /data/pitv --shell ${sbindir}/nologin --gid pitv pitv"

RDEPENDS:pitv-service = "pitv systemd"
RDEPENDS:pitv-ksm = "pitv-service"
# Programs of its scripts and units. BusyBox's head, od and sync lack options that they use.
RDEPENDS:pitv-board = "\
    avahi-daemon \
    coreutils \
    e2fsprogs-e2fsck e2fsprogs-mke2fs e2fsprogs-resize2fs \
    gawk \
    iproute2-ip \
    iw \
    kmod \
    openssh-keygen openssh-sshd \
    pitv-service \
    tzdata \
    util-linux-findmnt util-linux-mkswap util-linux-mount util-linux-mountpoint \
    util-linux-partx util-linux-sfdisk util-linux-swaponoff util-linux-umount \
    wpa-supplicant wpa-supplicant-cli \
"
RRECOMMENDS:pitv-board = "kernel-modules pitv-ksm wireless-regdb-static"
