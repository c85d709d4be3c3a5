SUMMARY = "pitv's Node-API addons: fork, shared memory, sockets, memory merging"
DESCRIPTION = "Compiled for the board against node-api-headers alone, so they fit every Node.js from 20 on."
SECTION = "multimedia"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE;md5=94ecedacc9c191007542f3747317abae"

require pitv.inc

# Node's word for the architecture (process.arch), which is where the app looks.
def node_arch(d):
    arch = d.getVar("TARGET_ARCH")
    return {"aarch64": "arm64", "x86_64": "x64", "i686": "ia32"}.get(arch, arch)

NODE_ARCH = "${@node_arch(d)}"

# A newer compiler's warning is no reason not to build.
EXTRA_OEMAKE = "'CC=${CC}' 'CFLAGS=${CFLAGS}' 'LDFLAGS=${LDFLAGS}' ARCH=${NODE_ARCH} WERROR="

do_configure[noexec] = "1"

do_compile() {
    oe_runmake -C app/native
    oe_runmake -C ksm/native
}

do_install() {
    install -d ${D}${nonarch_libdir}/pitv/build/${NODE_ARCH}
    install -m 0755 ${S}/build/${NODE_ARCH}/pitv.node ${S}/build/${NODE_ARCH}/ksm.node \
        ${D}${nonarch_libdir}/pitv/build/${NODE_ARCH}/
}

FILES:${PN} = "${nonarch_libdir}/pitv/build"

RDEPENDS:${PN} = "nodejs"
