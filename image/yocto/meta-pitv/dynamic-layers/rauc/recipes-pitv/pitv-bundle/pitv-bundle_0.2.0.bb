SUMMARY = "An update of a card with two systems: kernel and root, signed"
DESCRIPTION = "Makes the bundle, and the list in which a card looks for a newer one."

require recipes-pitv/pitv/pitv-common.inc

# It is made of what other recipes have deployed.
SRC_URI = ""

inherit bundle features_check
REQUIRED_DISTRO_FEATURES = "rauc"
COMPATIBLE_MACHINE = "^rpi$"

RAUC_BUNDLE_FORMAT = "verity"
RAUC_BUNDLE_COMPATIBLE = "pitv-${PITV_SYSTEM}"
RAUC_BUNDLE_VERSION = "${PV}"
RAUC_BUNDLE_SLOTS = "boot root"
RAUC_SLOT_boot = "pitv-update"
RAUC_SLOT_boot[type] = "file"
RAUC_SLOT_boot[file] = "pitv-update/boot.img"
RAUC_SLOT_boot[rename] = "boot.img"
RAUC_SLOT_root = "pitv-image"
RAUC_SLOT_root[fstype] = "${PITV_ROOT_FSTYPE}"
RAUC_SLOT_root[rename] = "root.img"

RAUC_KEY_FILE = "${PITV_UPDATE_KEY}/key.pem"
RAUC_CERT_FILE = "${PITV_UPDATE_KEY}/cert.pem"
BUNDLE_ARGS = "--intermediate=${PITV_UPDATE_KEY}/chain.pem"
# The place of the key does not change the bundle.
RAUC_KEY_FILE[vardepsexclude] = "PITV_UPDATE_KEY"
RAUC_CERT_FILE[vardepsexclude] = "PITV_UPDATE_KEY"
BUNDLE_ARGS[vardepsexclude] = "PITV_UPDATE_KEY"

# Publish it beside the bundle, at the address update-url of pitv.txt.
do_deploy:append() {
    printf '{"version":"%s","file":"%s"}\n' "${PV}" "${BUNDLE_NAME}${BUNDLE_EXTENSION}" > ${DEPLOYDIR}/${PITV_SYSTEM}.json
}
