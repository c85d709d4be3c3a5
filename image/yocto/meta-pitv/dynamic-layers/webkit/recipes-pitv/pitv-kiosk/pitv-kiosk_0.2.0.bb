SUMMARY = "Shows the screen page on the television"
DESCRIPTION = "The units of the Debian card with a browser: WPE WebKit in full screen, and remote controls over HDMI."

require recipes-pitv/pitv/pitv.inc

inherit useradd
REQUIRED_DISTRO_FEATURES += "opengl wayland"

do_compile[noexec] = "1"

do_install() {
    sh ${S}/image/common/copy.sh ${S}/image/kiosk/root ${D}
    # Debian's seatd serves the group video, OpenEmbedded's the group seat.
    sed -i 's/^SupplementaryGroups=/&seat /' ${D}${systemd_system_unitdir}/pitv-kiosk.service
}

# The same as in sysusers.d/pitv-kiosk.conf. A rule of udev starts the unit.
USERADD_PACKAGES = "${PN}"
GROUPADD_PARAM:${PN} = "--system --gid 971 pitv-kiosk; --system render"
USERADD_PARAM:${PN} = "--system --uid 971 --no-create-home --home-dir /run/pitv-kiosk --shell ${sbindir}/nologin --gid pitv-kiosk pitv-kiosk"

FILES:${PN} = "${libexecdir} ${nonarch_libdir} ${systemd_system_unitdir}"
RDEPENDS:${PN} = "cog gawk gstreamer1.0-plugins-base-alsa iproute2-ss pitv-board seatd ttf-dejavu-sans v4l-utils weston"
