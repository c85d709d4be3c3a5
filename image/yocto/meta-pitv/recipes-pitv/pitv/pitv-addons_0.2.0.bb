SUMMARY = "pitv's Node-API addons: fork, shared memory, sockets, memory merging"
DESCRIPTION = "Compiled for the board with node-api-headers only, so they work with Node.js 20 and later."

require pitv.inc

# Returns Node's name of the architecture (process.arch), which is part of the addons' path.
def node_arch(d):
    arch = d.getVar("TARGET_ARCH")
    return {"aarch64": "arm64", "x86_64": "x64", "i686": "ia32"}.get(arch, arch)

NODE_ARCH = "${@node_arch(d)}"

# Warnings of newer compilers are not errors.
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
