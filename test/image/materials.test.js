import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOARDS } from '../../image/boards.js';
import { createImagerManifest, createBill, parsePackages } from '../../image/sd/materials.js';

test('every package is in the bill of materials once, and has a purl', () => {
  const debian = parsePackages(
    'nodejs\t20.19.2\tnodejs\tarmhf\t1000\nlibssl3\t3.5-1\topenssl (3.5)\tarmhf\t10\n',
  );
  assert.deepEqual(
    debian.map(({ name, source }) => `${name} of ${source}`),
    ['libssl3 of openssl', 'nodejs of nodejs'],
  );
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
  const ids = packages.map((/** @type {any} */ each) => each.SPDXID);
  assert.equal(new Set(ids).size, 1 + 2 + 2);
  for (const id of ids) assert.match(id, /^SPDXRef-[A-Za-z0-9.-]+$/);
  const contained = relationships.filter(
    (/** @type {any} */ { relationshipType: type }) => type === 'CONTAINS',
  );
  assert.equal(contained.length, 4);
  const [libssl3, scoped] = ['libssl3', '@a/b'].map((name) =>
    packages.find((/** @type {any} */ each) => each.name === name),
  );
  const purl = 'pkg:deb/debian/libssl3@3.5-1?arch=armhf&distro=trixie&upstream=openssl';
  assert.equal(libssl3.externalRefs[0].referenceLocator, purl);
  assert.equal(scoped.externalRefs[0].referenceLocator, 'pkg:npm/%40a/b@1.0.0');
  assert.equal(scoped.licenseDeclared, 'NOASSERTION'); // not an SPDX expression
});

test('the manifest for Imager has all required properties, and each board can be selected', () => {
  // "required" in os-list-schema.json, and its values of init_format and architecture
  const required =
    'name description icon url extract_size extract_sha256 image_download_size release_date devices';
  for (const board of Object.values(BOARDS)) {
    const manifest = createImagerManifest({
      board,
      version: '1',
      epochS: 86400,
      urls: { download: 'file:///x.img.xz', bmap: 'file:///x.bmap', icon: 'file:///x.svg' },
      extracted: { bytes: 2, sha256: 'aa' },
      download: { bytes: 1, sha256: 'bb' },
    });
    const { imager, os_list: list } = manifest;
    assert.equal(list.length, 1);
    const [system] = list;
    for (const key of required.split(' ')) assert.ok(key in system, key);
    assert.deepEqual([system.extract_size, system.extract_sha256], [2, 'aa']);
    assert.deepEqual([system.image_download_size, system.release_date], [1, '1970-01-02']);
    assert.match(system.init_format, /^(systemd|cloudinit|cloudinit-rpi|rpi-preseed|none|)$/);
    assert.match(system.architecture, /^(armel|armhf|armv8)$/);
    for (const { name, tags } of imager.devices)
      assert.ok(
        tags.some((tag) => system.devices.includes(tag)),
        `${name}: its tags match nothing`,
      );
    const known = imager.devices.flatMap((device) => device.tags);
    for (const tag of system.devices) assert.ok(known.includes(tag), `${tag}: no device has it`);
  }
});
