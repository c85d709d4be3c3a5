SUMMARY = "TV game console and worker runtime on Node.js"
DESCRIPTION = "The main thread serves pages and websockets; games run in threads, processes or forks of a warm process."
LICENSE = "Apache-2.0 & BSD-3-Clause & BlueOak-1.0.0 & ISC & MIT & Unlicense"
# licenses.json lists each npm package's licence and the path of its text.
LIC_FILES_CHKSUM = "\
    file://LICENSE;md5=94ecedacc9c191007542f3747317abae \
    file://licenses.json;md5=8422c20ab3da467460824e8d0a304339 \
"

require pitv.inc

inherit features_check npm_packages_spdx
REQUIRED_DISTRO_FEATURES = "systemd"

do_configure[noexec] = "1"
do_compile[noexec] = "1"

do_install() {
    install -d ${D}${nonarch_libdir}/pitv ${D}${bindir}
    cp -R --no-dereference --preserve=mode,links ${S}/. ${D}${nonarch_libdir}/pitv/
    # Files that are only needed for builds: the addons' sources (built by pitv-addons), npm's links to programs; the files
    # of pitv-system.
    rm -rf ${D}${nonarch_libdir}/pitv/Makefile \
        ${D}${nonarch_libdir}/pitv/image \
        ${D}${nonarch_libdir}/pitv/app/native \
        ${D}${nonarch_libdir}/pitv/ksm/native \
        ${D}${nonarch_libdir}/pitv/node_modules/.bin \
        ${D}${nonarch_libdir}/pitv/node_modules/node-api-headers
    # Also the packages' build scripts, which need bash.
    find ${D}${nonarch_libdir}/pitv/node_modules -name '*.sh' -delete
    ln -s ${nonarch_libdir}/pitv/app/cli.js ${D}${bindir}/pitv
}

FILES:${PN} += "${nonarch_libdir}/pitv"

RDEPENDS:${PN} = "nodejs pitv-addons"
RRECOMMENDS:${PN} = "pitv-service"
