/** The bill of materials (SPDX) of a card, and its manifest for Raspberry Pi Imager. */

/**
 * @typedef {object} DebianPackage
 * @property {string} name
 * @property {string} version
 * @property {string} source
 * @property {string} architecture
 */

/**
 * Parses a list of packages.
 * @param {string} text lines of package, version, source, architecture, KiB, with tabs @returns {DebianPackage[]}
 */
export function parsePackages(text) {
  const lines = text.split('\n').filter((line) => line !== '');
  const packages = lines.map((line) => {
    const [name, version, source, architecture] = line.split('\t');
    return { name, version, source: source.replace(/ .*/, '') || name, architecture };
  });
  return packages.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** @param {string} text */
const spdxId = (text) => text.replace(/[^A-Za-z0-9.-]/g, '-');

/** Returns an SPDX licence expression; NOASSERTION if it is unknown. @param {string} text */
const licenseOf = (text) => (/^[A-Za-z0-9.+() -]+$/.test(text) ? text : 'NOASSERTION');

/** Returns a source package's name in Debian's security tracker, by which scanners search. @param {string} source */
const trackedSource = (source) => encodeURIComponent(source.replace(/^linux-signed-\w+$/, 'linux'));

/**
 * Describes a package, with SPDX's word for what is not known.
 * @param {string} id @param {{name: string, version: string}} about @param {object} more
 */
const describe = (id, { name, version }, more) => ({
  SPDXID: `SPDXRef-${id}`,
  name,
  versionInfo: version,
  downloadLocation: 'NOASSERTION',
  filesAnalyzed: false,
  licenseConcluded: 'NOASSERTION',
  licenseDeclared: 'NOASSERTION',
  copyrightText: 'NOASSERTION',
  ...more,
});

/**
 * Creates the bill of materials.
 * @param {object} card
 * @param {string} card.name file name of the image
 * @param {string} card.version
 * @param {string} card.sha256 of the image as it is on the card
 * @param {number} card.epochS
 * @param {string} card.suite Debian's name of the release that the packages are from
 * @param {{suite: string, date: string}[]} card.suites all that have packages, with the dates of their lists
 * @param {DebianPackage[]} card.debian
 * @param {{name: string, version: string, license: string}[]} card.npm
 * @param {string} [card.node] the version of a Node.js that is not Debian's
 * @returns {object} SPDX 2.3, https://spdx.github.io/spdx-spec/v2.3/
 */
export function createBill({ name, version, sha256, epochS, suite, suites, debian, npm, node }) {
  const about = { name, version };
  const image = describe('image', about, {
    licenseDeclared: 'MIT',
    primaryPackagePurpose: 'OPERATING-SYSTEM',
    checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }],
  });
  // The licences of Debian's packages are in /usr/share/doc/<package>/copyright on the card.
  const fromDebian = debian.map((each) => {
    const purl = `pkg:deb/debian/${encodeURIComponent(each.name)}@${encodeURIComponent(each.version)}`;
    const query = `arch=${each.architecture}&distro=${suite}&upstream=${trackedSource(each.source)}`;
    return describe(`deb-${spdxId(each.name)}`, each, {
      sourceInfo: `Debian source package ${each.source}`,
      externalRefs: [reference(`${purl}?${query}`)],
    });
  });
  const fromNpm = npm.map((each) => {
    const purl = `pkg:npm/${each.name.replace('@', '%40')}@${encodeURIComponent(each.version)}`;
    return describe(`npm-${spdxId(each.name)}-${spdxId(each.version)}`, each, {
      licenseDeclared: licenseOf(each.license),
      externalRefs: [reference(purl)],
    });
  });
  // Scanners know Node.js itself by its CPE.
  const nodes = (node ? [node] : []).map((version) => {
    const about = { name: 'node', version };
    const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
    const externalRefs = [
      reference(`pkg:generic/node@${version}`),
      { referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: cpe },
    ];
    return describe('node', about, { licenseDeclared: 'MIT', externalRefs });
  });
  // A version that is installed twice is listed once.
  const unique = new Map([...fromDebian, ...fromNpm, ...nodes].map((each) => [each.SPDXID, each]));
  const packages = [image, ...unique.values()];
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name,
    documentNamespace: `https://spdx.org/spdxdocs/${spdxId(name)}-${sha256}`,
    creationInfo: {
      created: new Date(epochS * 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
      creators: [`Tool: pitv-image-${version}`],
      comment: `Debian's packages are from ${suites.map(({ suite, date }) => `${suite} of ${date}`).join(', ')}.`,
    },
    packages,
    relationships: [
      relation('SPDXRef-DOCUMENT', 'DESCRIBES', image.SPDXID),
      ...[...unique.keys()].map((id) => relation(image.SPDXID, 'CONTAINS', id)),
    ],
  };
}

/** @param {string} locator */
const reference = (locator) => ({
  referenceCategory: 'PACKAGE-MANAGER',
  referenceType: 'purl',
  referenceLocator: locator,
});

/** @param {string} from @param {string} type @param {string} to */
const relation = (from, type, to) => ({
  spdxElementId: from,
  relationshipType: type,
  relatedSpdxElement: to,
});

/** The boards as shown by Imager, and their tags. */
const IMAGER_DEVICES = Object.freeze(
  [
    ['Raspberry Pi 5', 'Models B, 500 and Compute Module 5', ['pi5-64bit']],
    ['Raspberry Pi 4', 'Models B, 400 and Compute Module 4', ['pi4-64bit', 'pi4-32bit']],
    ['Raspberry Pi 3', 'Models A+, B and B+', ['pi3-64bit', 'pi3-32bit']],
    ['Raspberry Pi Zero 2 W', 'The small one with four cores', ['pi3-64bit', 'pi3-32bit']],
    ['Raspberry Pi 2', 'Model B', ['pi2-32bit']],
    ['Raspberry Pi 1', 'Models A, A+, B and B+', ['pi1-32bit']],
    ['Raspberry Pi Zero', 'Zero and Zero W', ['pi1-32bit']],
  ].map(([name, description, tags]) => ({
    name,
    description,
    tags: /** @type {string[]} */ (tags),
    matching_type: 'exclusive',
    capabilities: [],
  })),
);

/**
 * Makes the manifest with which Raspberry Pi Imager offers the card. Imager 2 opens the file; older versions read it
 * with --repo. Its schema is doc/json-schema/os-list-schema.json in https://github.com/raspberrypi/rpi-imager. The
 * boards are part of it, because Imager offers no board from a list without boards.
 * @param {object} card
 * @param {import('../boards.js').Board} card.board
 * @param {string} card.version
 * @param {number} card.epochS
 * @param {Record<'download' | 'bmap' | 'icon', string>} card.urls download: the .img.xz
 * @param {{bytes: number, sha256: string}} card.extracted the .img
 * @param {{bytes: number, sha256: string}} card.download
 */
export function createImagerManifest({ board, version, epochS, urls, extracted, download }) {
  const { imagerDevices: tags, imagerArchitecture: architecture } = board;
  const devices = IMAGER_DEVICES.filter((device) => device.tags.some((tag) => tags.includes(tag)));
  const system = {
    name: `pitv ${version} (${board.name})`,
    description: `A TV game console with phones as controllers, for ${board.boards}`,
    icon: urls.icon,
    url: urls.download,
    bmap_url: urls.bmap,
    extract_size: extracted.bytes,
    extract_sha256: extracted.sha256,
    image_download_size: download.bytes,
    image_download_sha256: download.sha256,
    release_date: new Date(epochS * 1000).toISOString().slice(0, 10),
    // Imager writes its settings as firstrun.sh, which every version can. The card reads that script and never runs it
    // (image/common: settings/firstrun.awk).
    init_format: 'systemd',
    devices: tags,
    architecture,
    capabilities: [],
  };
  return {
    imager: { devices: devices.map((device) => ({ ...device, architecture })) },
    os_list: [system],
  };
}
