/** Tests of signed updates: the key, the bundle, and which bundles are refused. RAUC itself makes and checks them. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { cpSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isWhole } from '../../app/system/rauc.js';
import { systemVersion } from '../../image/sd/apt.js';
import { bundleCard, makeBundle } from '../../image/update/bundle.js';
import { makeKey } from '../../image/update/key.js';
import { temporaryFolder } from '../support/folders.js';
import { missingTools } from './needs.js';

const IMAGE = fileURLToPath(new URL('../../image', import.meta.url));
const IMAGE_BYTES = 200_000;
const skip = missingTools('rauc mksquashfs openssl');

/**
 * Reads a bundle with RAUC, which checks its signature.
 * @param {string} file @param {import('../../image/update/key.js').UpdateKey} key
 * @returns {{compatible: string, version: string, images: object[]}}
 */
function infoOf(file, { cert }) {
  const args = ['info', '--keyring', cert, '--output-format', 'json', file];
  return JSON.parse(String(execFileSync('rauc', args, { stdio: 'pipe' })));
}

describe('an update', { skip }, () => {
  const work = temporaryFolder();
  /** @type {import('../../image/update/key.js').UpdateKey} */
  let key;
  /** @type {string} */
  let bundle;
  /** @type {Record<'boot' | 'root', string>} */
  let images;
  before(async () => {
    key = await makeKey(join(work, 'key'), { development: true });
    images = { boot: join(work, 'boot.img'), root: join(work, 'root.img') };
    for (const file of Object.values(images))
      writeFileSync(file, randomFillSync(Buffer.alloc(IMAGE_BYTES)));
    bundle = join(work, 'good.raucb');
    const update = { system: 'armhf', version: '1.2.3', images, key, development: true };
    await makeBundle({ ...update, file: bundle });
  });

  test('RAUC accepts a bundle, with its system, version and slots', () => {
    const { compatible, version, images } = infoOf(bundle, key);
    assert.deepEqual([compatible, version], ['pitv-armhf', '1.2.3']);
    assert.deepEqual(images.flatMap(Object.keys).sort(), ['boot', 'root']);
    const files = readdirSync(work).filter((name) => name.startsWith('good.raucb'));
    assert.deepEqual(files, ['good.raucb'], 'no draft is left');
  });

  test('a release refuses a development key, and accepts its own', async () => {
    const file = join(work, 'release.raucb');
    const release = { system: 'armhf', version: '1.2.3', images, file };
    await assert.rejects(makeBundle({ ...release, key }), { code: 'PITV_UPDATE_KEY' });
    const own = await makeKey(join(work, 'release'));
    await makeBundle({ ...release, key: own });
    assert.equal(infoOf(file, own).version, '1.2.3');
    const pair = { key: own.key, cert: key.cert };
    const mixed = makeBundle({ ...release, key: pair, development: true });
    await assert.rejects(mixed, { code: 'PITV_UPDATE_KEY', message: /do not belong together/ });
  });

  test('isWhole() accepts a bundle, and refuses cut and other files', async () => {
    const bytes = readFileSync(bundle);
    const at = join(work, 'other');
    const holes = Buffer.alloc(bytes.length);
    bytes.copy(holes, 0, 0, 4096);
    const others = [
      Buffer.alloc(0),
      Buffer.from('no bundle'),
      randomFillSync(Buffer.alloc(5000)),
      holes,
      ...[100, bytes.length >> 1, bytes.length - 1].map((length) => bytes.subarray(0, length)),
    ];
    for (const other of others) {
      writeFileSync(at, other);
      assert.equal(await isWhole(at), false, `${other.length} bytes`);
    }
    assert.equal(await isWhole(bundle), true);
  });

  test('the programs say which folder has no key', () => {
    for (const program of ['build.js', 'update/bundle.js', 'qemu/cli.js', 'release.js']) {
      const args = [join(IMAGE, program), '--key', '/nowhere'];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.equal(status, 1, program);
      assert.match(stderr, /^\/nowhere has no key for updates .*`make update-key` has made\.$/m);
      assert.doesNotMatch(stderr, /\n {4}at /);
    }
  });

  test("a card's bundle has its boot slot and its root, and replaces the one before", async () => {
    const layer = { folder: join(work, 'layer') };
    cpSync(images.boot, join(layer.folder, 'slot.img'));
    cpSync(images.root, join(layer.folder, 'root.squashfs'));
    const own = systemVersion([{ date: '2026-11-21' }, { date: '2026-11-26' }], 1_700_000_000);
    writeFileSync(join(layer.folder, 'version'), `${own}\n`);
    const built = { card: layer, root: layer };
    const out = join(work, 'out');
    const options = { system: 'arm64', out, key, development: true };
    const { file } = await bundleCard(built, options);
    assert.equal((await bundleCard(built, options)).file, file);
    assert.deepEqual(readdirSync(out).sort(), ['arm64.json', basename(file)]);
    const list = JSON.parse(readFileSync(join(out, 'arm64.json'), 'utf8'));
    assert.equal(list.file, basename(file));
    const { version } = infoOf(file, key);
    assert.equal(list.version, version);
    assert.equal(version, own);
    assert.match(version, /^\d+\.\d+\.\d+\+20261126\.202311142213$/);
    const content = join(work, 'content');
    execFileSync('rauc', ['extract', '--keyring', key.cert, file, content], { stdio: 'pipe' });
    for (const [slot, image] of Object.entries(images))
      assert.ok(readFileSync(join(content, `${slot}.img`)).equals(readFileSync(image)), slot);
  });

  test('a key is private, is not replaced, and is not made in the project', async () => {
    assert.equal(statSync(key.key).mode & 0o077, 0);
    assert.equal(statSync(join(work, 'key')).mode & 0o077, 0);
    await assert.rejects(makeKey(join(work, 'key')), { code: 'PITV_UPDATE_KEY' });
    await assert.rejects(makeKey(join(IMAGE, 'key')), { code: 'PITV_UPDATE_KEY' });
    assert.ok(!readdirSync(IMAGE).some((name) => name.startsWith('key')));
  });
});
