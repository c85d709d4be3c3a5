/** Tests of signed updates: the key, the bundle, and which bundles are refused. RAUC itself makes and checks them. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bundleCard, makeBundle } from '../../../image/update/bundle.js';
import { checkBundle } from '../../../image/update/check.js';
import { isDevelopmentKey, makeKey } from '../../../image/update/key.js';

const IMAGE = fileURLToPath(new URL('../../../image', import.meta.url));
const IMAGE_BYTES = 200_000;
const missing = ['rauc', 'mksquashfs', 'openssl'].filter(
  (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0,
);
const skip = missing.length > 0 && `${missing.join(', ')} missing: ./setup.sh image`;

describe('an update', { skip }, () => {
  /** @type {string} */
  let work;
  /** @type {import('../../../image/update/key.js').UpdateKey} */
  let key;
  /** @type {string} */
  let bundle;
  /** @type {Record<'boot' | 'root', string>} */
  let images;
  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'pitv-update-'));
    key = await makeKey(join(work, 'key'), { development: true });
    images = { boot: join(work, 'boot.img'), root: join(work, 'root.img') };
    for (const file of Object.values(images))
      writeFileSync(file, randomFillSync(Buffer.alloc(IMAGE_BYTES)));
    bundle = join(work, 'good.raucb');
    const update = { system: 'armhf', version: '1.2.3', images, key, development: true };
    await makeBundle({ ...update, file: bundle });
  });
  after(() => rm(work, { recursive: true, force: true }));

  const expected = () => ({ system: 'armhf', cert: key.cert });

  test('a good bundle is accepted, with its version and slots', async () => {
    const { version, images } = await checkBundle(bundle, expected());
    assert.equal(version, '1.2.3');
    assert.deepEqual(images.sort(), ['boot', 'root']);
    assert.deepEqual(
      readdirSync(work).filter((name) => name.startsWith('good.raucb')),
      ['good.raucb'],
      'no draft is left',
    );
  });

  test('a bundle that another key signed is refused', async () => {
    const other = await makeKey(join(work, 'other'), { development: true });
    const wrong = { system: 'armhf', cert: other.cert };
    await assert.rejects(checkBundle(bundle, wrong), { code: 'PITV_UPDATE_SIGNATURE' });
  });

  test('a bundle of another board is refused', async () => {
    const wrong = { ...expected(), system: 'arm64' };
    await assert.rejects(checkBundle(bundle, wrong), { code: 'PITV_UPDATE_BOARD' });
  });

  test('a changed byte anywhere is refused', async () => {
    const { size } = statSync(bundle);
    for (const position of [10, size >> 2, size >> 1, size - 3000, size - 20]) {
      const damaged = join(work, 'damaged.raucb');
      copyFileSync(bundle, damaged);
      const file = await open(damaged, 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, position);
      byte[0] ^= 0xff;
      await file.write(byte, 0, 1, position);
      await file.close();
      await assert.rejects(
        checkBundle(damaged, expected()),
        { code: /^PITV_UPDATE_(DAMAGED|SIGNATURE)$/ },
        `byte ${position} of ${size}`,
      );
    }
  });

  test('an incomplete bundle is refused', async () => {
    const part = join(work, 'part.raucb');
    copyFileSync(bundle, part);
    truncateSync(part, statSync(bundle).size - 4096);
    await assert.rejects(checkBundle(part, expected()), { code: 'PITV_UPDATE_SIGNATURE' });
  });

  test('a release refuses a development key, and accepts its own', async () => {
    const file = join(work, 'release.raucb');
    const release = { system: 'armhf', version: '1.2.3', images, file };
    await assert.rejects(makeBundle({ ...release, key }), { code: 'PITV_UPDATE_KEY' });
    const own = await makeKey(join(work, 'release'));
    assert.deepEqual([await isDevelopmentKey(key), await isDevelopmentKey(own)], [true, false]);
    await makeBundle({ ...release, key: own });
    await checkBundle(file, { system: 'armhf', cert: own.cert });
  });

  test("a card's bundle has its boot slot and its root, and replaces the one before", async () => {
    const [card, root] = ['card', 'root'].map((name) => join(work, `layer-${name}`));
    mkdirSync(card);
    mkdirSync(root);
    copyFileSync(images.boot, join(card, 'slot.img'));
    copyFileSync(images.root, join(root, 'root.squashfs'));
    const built = { card: { folder: card }, root: { folder: root } };
    const out = join(work, 'out');
    mkdirSync(out);
    const options = { system: 'arm64', out, key, development: true };
    const file = await bundleCard(built, options);
    assert.equal(await bundleCard(built, options), file);
    assert.deepEqual(readdirSync(out).sort(), ['arm64.json', basename(file)]);
    const list = JSON.parse(readFileSync(join(out, 'arm64.json'), 'utf8'));
    assert.equal(list.file, basename(file));
    const { version } = await checkBundle(file, { system: 'arm64', cert: key.cert });
    assert.equal(list.version, version);
    assert.match(version, /^\d+\.\d+\.\d+\+\d{12}$/);
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
