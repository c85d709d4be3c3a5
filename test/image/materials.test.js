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
  const card = { name: 'x.img', version: '1', sha256: 'ab', epochS: 0, suite: 'trixie' };
  const bill = createBill({ ...card, debian, npm });
  const { packages, relationships } = /** @type {any} */ (bill);
  assert.equal(packages.length, 1 + 2 + 2);
  const ids = packages.map((/** @type {any} */ each) => each.SPDXID);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^SPDXRef-[A-Za-z0-9.-]+$/);
  const contained = relationships.filter(
    (/** @type {any} */ r) => r.relationshipType === 'CONTAINS',
  );
  assert.equal(contained.length, 4);
  const libssl = packages.find((/** @type {any} */ each) => each.name === 'libssl3');
  assert.equal(
    libssl.externalRefs[0].referenceLocator,
    'pkg:deb/debian/libssl3@3.5-1?arch=armhf&distro=trixie&upstream=openssl',
  );
  const scoped = packages.find((/** @type {any} */ each) => each.name === '@a/b');
  assert.equal(scoped.externalRefs[0].referenceLocator, 'pkg:npm/%40a/b@1.0.0');
  assert.equal(scoped.licenseDeclared, 'NOASSERTION'); // not an SPDX expression
});

/** @param {import('../../image/boards.js').Board} board */
const manifestOf = (board) =>
  createImagerManifest({
    board,
    version: '1',
    epochS: 86400,
    initFormat: 'systemd',
    url: 'file:///x.img.xz',
    bmapUrl: 'file:///x.bmap',
    iconUrl: 'file:///x.svg',
    extractBytes: 2,
    extractSha256: 'aa',
    downloadBytes: 1,
    downloadSha256: 'bb',
  });

test('the manifest for Imager has sizes and checksums', () => {
  const { os_list: list } = manifestOf(BOARDS.armhf);
  assert.equal(list.length, 1);
  assert.deepEqual(
    [
      list[0].extract_size,
      list[0].extract_sha256,
      list[0].image_download_size,
      list[0].release_date,
    ],
    [2, 'aa', 1, '1970-01-02'],
  );
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
    for (const device of imager.devices) {
      assert.ok(device.name && device.description);
      assert.ok(
        device.tags.some((tag) => list[0].devices.includes(tag)),
        `${device.name}: its tags match nothing`,
      );
    }
    for (const tag of list[0].devices) {
      assert.ok(
        imager.devices.some((device) => device.tags.includes(tag)),
        `${tag}: no device has it`,
      );
    }
  }
});
