# Adds the npm packages of ${S}/licenses.json to the package's SPDX 3 document, with their licences, as parts of the package
# ${PN}. BitBake's npm fetchers would do it, but they are disabled in this release.

def add_npm_packages(d):
    """Adds the packages to the document of ${PN}, which create_spdx has written."""
    import json
    import oe.sbom30
    import oe.spdx_common
    from oe import spdx30
    from pathlib import Path
    from urllib.parse import quote

    deploy = Path(d.getVar("SPDXDEPLOY"))
    name = "package-" + d.getVar("PN")
    path = oe.sbom30.jsonld_arch_path(d, d.getVar("SSTATE_PKGARCH"), "packages-staging", name, deploy)
    objset = oe.sbom30.load_jsonld(d, path, required=True)
    license_data = oe.spdx_common.load_spdx_license_data(d)
    listed = json.loads(Path(d.expand("${S}/licenses.json")).read_text())
    added = []
    for name, version, license in sorted({(each["name"], each["version"], each["license"]) for each in listed}):
        url = "pkg:npm/%s@%s" % (quote(name), quote(version))
        part = spdx30.software_Package(
            _id=objset.new_spdxid("npm", name, version),
            creationInfo=objset.doc.creationInfo,
            name=name,
            software_packageVersion=version,
            software_packageUrl=url,
            software_primaryPurpose=spdx30.software_SoftwarePurpose.library,
        )
        added.append(objset.add(part))
        expression = oe.sbom30.get_element_link_id(objset.new_license_expression(license, license_data))
        objset.new_relationship([part], spdx30.RelationshipType.hasDeclaredLicense, [expression])
    package = objset.find_root(spdx30.software_Package)
    objset.new_relationship([package], spdx30.RelationshipType.contains, added)
    oe.sbom30.write_recipe_jsonld_doc(d, objset, "packages-staging", deploy, create_spdx_id_links=False)

python do_create_spdx:append() {
    add_npm_packages(d)
}
