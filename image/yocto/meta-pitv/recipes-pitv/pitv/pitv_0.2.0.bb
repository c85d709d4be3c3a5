SUMMARY = "TV game console and worker runtime on Node.js"
DESCRIPTION = "The main thread serves pages and websockets; games run in threads, processes or forks of a warm process."
LICENSE = "Apache-2.0 & BSD-3-Clause & BlueOak-1.0.0 & ISC & MIT & Unlicense"

require pitv.inc

# It lists each npm package's licence and the path of its text.
LIC_FILES_CHKSUM += "file://licenses.json;md5=201cb9b50581398f661cb97425b7978c"

inherit npm_packages_spdx

# Returns Node's name of the architecture (process.arch), which is part of the addons' path.
def node_arch(d):
    arch = d.getVar("TARGET_ARCH")
    return {"aarch64": "arm64", "x86_64": "x64", "i686": "ia32"}.get(arch, arch)

NODE_ARCH = "${@node_arch(d)}"

# The addons need node-api-headers only, so they work with Node.js 20 and later. New compilers may warn of more.
B = "${WORKDIR}/build"
EXTRA_OEMAKE = "'CC=${CC}' 'CFLAGS=${CFLAGS}' 'LDFLAGS=${LDFLAGS}' OUT=${B} WERROR="

do_compile() {
    oe_runmake -C ${S}/app/native
    oe_runmake -C ${S}/ksm/native
}

do_install() {
    lib=${D}${nonarch_libdir}/pitv
    install -d $lib ${D}${bindir}
    cp -R --no-dereference --preserve=mode,links ${S}/. $lib/
    # Files that are only needed for builds: the addons' sources, npm's links to programs; the files of pitv-system.
    rm -rf $lib/Makefile $lib/image $lib/app/native $lib/ksm/native
    rm -rf $lib/node_modules/.bin $lib/node_modules/node-api-headers
    # Also the packages' build scripts, which need bash.
    find $lib/node_modules -name '*.sh' -delete
    install -d $lib/build/${NODE_ARCH}
    install -m 0755 ${B}/pitv.node ${B}/ksm.node $lib/build/${NODE_ARCH}/
    ln -s ${nonarch_libdir}/pitv/app/cli.js ${D}${bindir}/pitv
}

FILES:${PN} += "${nonarch_libdir}/pitv"

RDEPENDS:${PN} = "nodejs"
RRECOMMENDS:${PN} = "pitv-service"
