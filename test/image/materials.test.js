import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOARDS } from '../../image/boards.js';
import { createImagerManifest, createBill, parsePackages } from '../../image/sd/materials.js';

const debian = parsePackages(
  'nodejs\t20.19.2\tnodejs\tarmhf\t1000\nlibssl3\t3.5-1\topenssl (3.5)\tarmhf\t10\n',
);

test('packages are parsed and sorted, with the name of their source', () => {
  assert.deepEqual(
    debian.map(({ name, source }) => [name, source]),
    [
      ['libssl3', 'openssl'],
      ['nodejs', 'nodejs'],
    ],
  );
});

test('every package is in the bill of materials once, and has a purl', () => {
  const npm = [
    { name: 'ws', version: '8.0.0', license: 'MIT' },
    { name: '@a/b', version: '1.0.0', license: 'SEE LICENSE IN <file>' },
    { name: 'ws', version: '8.0.0', license: 'MIT' },
  ];
  const suites = [{ suite: 'trixie-security', date: '2026-11-21' }];
  const card = { name: 'x.img', version: '1', sha256: 'ab', epochS: 0, suite: 'trixie', suites };
  const bill = createBill({ ...card, debian, npm });
  const { packages, relationships, creationInfo } = /** @type {any} */ (bill);
  assert.match(creationInfo.comment, /from trixie-security of 2026-11-21\.$/);
  assert.equal(packages.length, 1 + 2 + 2);
  const byName = new Map(packages.map((/** @type {any} */ each) => [each.name, each]));
  const ids = packages.map((/** @type {any} */ each) => each.SPDXID);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^SPDXRef-[A-Za-z0-9.-]+$/);
  const types = relationships.map((/** @type {any} */ each) => each.relationshipType);
  assert.equal(types.filter((/** @type {string} */ type) => type === 'CONTAINS').length, 4);
  const purl = 'pkg:deb/debian/libssl3@3.5-1?arch=armhf&distro=trixie&upstream=openssl';
  assert.equal(byName.get('libssl3').externalRefs[0].referenceLocator, purl);
  const scoped = byName.get('@a/b');
  assert.equal(scoped.externalRefs[0].referenceLocator, 'pkg:npm/%40a/b@1.0.0');
  assert.equal(scoped.licenseDeclared, 'NOASSERTION'); // not an SPDX expression
});

/** @param {import('../../image/boards.js').Board} board */
const manifestOf = (board) =>
  createImagerManifest({
    board,
    version: '1',
    epochS: 86400,
    urls: { download: 'file:///x.img.xz', bmap: 'file:///x.bmap', icon: 'file:///x.svg' },
    extracted: { bytes: 2, sha256: 'aa' },
    download: { bytes: 1, sha256: 'bb' },
  });

test('the manifest for Imager has sizes and checksums', () => {
  const { os_list: list } = manifestOf(BOARDS.armhf);
  assert.equal(list.length, 1);
  const { extract_size: bytes, extract_sha256: sha256, image_download_size: download } = list[0];
  assert.deepEqual([bytes, sha256, download], [2, 'aa', 1]);
  assert.equal(list[0].release_date, '1970-01-02');
});

test('the manifest for Imager has all required properties, and each board can be selected', () => {
  // "required" in os-list-schema.json, and its values of init_format and architecture
  const required =
    'name description icon url extract_size extract_sha256 image_download_size release_date devices';
  for (const board of Object.values(BOARDS)) {
    const { imager, os_list: list } = manifestOf(board);
    for (const key of required.split(' ')) assert.ok(key in list[0], key);
    assert.match(list[0].init_format, /^(systemd|cloudinit|cloudinit-rpi|rpi-preseed|none|)$/);
    assert.match(list[0].architecture, /^(armel|armhf|armv8)$/);
    assert.ok(imager.devices.length > 0);
    const { devices: tags } = list[0];
    for (const { name, description, tags: own } of imager.devices) {
      assert.ok(name && description);
      assert.ok(
        own.some((tag) => tags.includes(tag)),
        `${name}: its tags match nothing`,
      );
    }
    const known = imager.devices.flatMap((device) => device.tags);
    for (const tag of tags) assert.ok(known.includes(tag), `${tag}: no device has it`);
  }
});
