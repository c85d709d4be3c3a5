SUMMARY = "TV game console and worker runtime on Node.js"
DESCRIPTION = "The main thread serves pages and websockets; games run in threads, processes or forks of a warm one."
SECTION = "multimedia"
LICENSE = "Apache-2.0 & BSD-3-Clause & ISC & MIT"
# licenses.json tells each npm package's licence, and where its text is.
LIC_FILES_CHKSUM = "\
    file://LICENSE;md5=94ecedacc9c191007542f3747317abae \
    file://licenses.json;md5=0605d3fe5ac9ad617aaaabb0a46a01f2 \
"

require pitv.inc

inherit features_check
REQUIRED_DISTRO_FEATURES = "systemd"

do_configure[noexec] = "1"
do_compile[noexec] = "1"

do_install() {
    install -d ${D}${nonarch_libdir}/pitv ${D}${bindir}
    cp -R --no-dereference --preserve=mode,links ${S}/. ${D}${nonarch_libdir}/pitv/
    # What only builds: the addons' sources (pitv-addons has them), npm's links to programs.
    rm -rf ${D}${nonarch_libdir}/pitv/Makefile \
        ${D}${nonarch_libdir}/pitv/app/native \
        ${D}${nonarch_libdir}/pitv/ksm/native \
        ${D}${nonarch_libdir}/pitv/node_modules/.bin \
        ${D}${nonarch_libdir}/pitv/node_modules/node-api-headers
    # Likewise scripts by which packages are made: they want bash.
    find ${D}${nonarch_libdir}/pitv/node_modules -name '*.sh' -delete
    chown -R root:root ${D}${nonarch_libdir}/pitv
    ln -s ${nonarch_libdir}/pitv/app/cli.js ${D}${bindir}/pitv
}

FILES:${PN} += "${nonarch_libdir}/pitv"

RDEPENDS:${PN} = "nodejs pitv-addons"
RRECOMMENDS:${PN} = "pitv-service"
