/** Tests of signed updates: the key, the bundle, and which bundles are refused. RAUC itself makes and checks them. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate, randomFillSync } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isWhole } from '../../app/system/rauc.js';
import { systemVersion } from '../../image/sd/apt.js';
import { words } from '../../image/sd/shell.js';
import { bundleCard, makeBundle } from '../../image/update/bundle.js';
import { makeKey, openKey, renewKey } from '../../image/update/key.js';
import { temporaryFolder } from '../support/folders.js';
import { missingTools } from './needs.js';

const IMAGE = fileURLToPath(new URL('../../image', import.meta.url));
const IMAGE_BYTES = 200_000;
const skip = missingTools('rauc mksquashfs openssl');

/** Returns RAUC's settings on a card that is made with a key now. @param {{keyring: string}} key */
function settingsOf({ keyring }) {
  const card = temporaryFolder();
  execFileSync(join(IMAGE, 'update/install.sh'), [card, 'armhf', keyring]);
  const file = join(card, 'etc/rauc/system.conf');
  const text = readFileSync(file, 'utf8').replace(/^data-directory=.*\n/m, '');
  writeFileSync(file, text.replace('path=/', `path=${card}/`));
  return file;
}

/**
 * Reads a bundle with RAUC, which checks its signature.
 * @param {string} file @param {string} settings of a card
 * @returns {{compatible: string, version: string, images: object[]}}
 */
function infoOf(file, settings) {
  const args = ['info', '--conf', settings, '--output-format', 'json', file];
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
    await makeBundle({ system: 'armhf', version: '1.2.3', images, key, file: bundle });
  });

  test('a release refuses a development key, and accepts its own', async () => {
    const release = join(work, 'release');
    const own = await makeKey(release);
    const code = 'PITV_UPDATE_KEY';
    await assert.rejects(openKey(join(work, 'key'), { signs: true }), { code });
    assert.deepEqual(await openKey(release, { signs: true }), own);
    cpSync(key.key, own.key);
    const message = /do not belong together/;
    await assert.rejects(openKey(release, { signs: true }), { code, message });
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
    const options = { system: 'arm64', out, key };
    const { file } = await bundleCard(built, options);
    assert.equal((await bundleCard(built, options)).file, file);
    assert.deepEqual(readdirSync(out).sort(), ['arm64.json', basename(file)]);
    const list = JSON.parse(readFileSync(join(out, 'arm64.json'), 'utf8'));
    assert.equal(list.file, basename(file));
    const { compatible, version, images: slots } = infoOf(file, settingsOf(key));
    assert.deepEqual([compatible, version, list.version], ['pitv-arm64', own, own]);
    assert.deepEqual(slots.flatMap(Object.keys).sort(), ['boot', 'root']);
    assert.match(version, /^\d+\.\d+\.\d+\+20261126\.202311142213$/);
    const content = join(work, 'content');
    execFileSync('rauc', ['extract', '--conf', settingsOf(key), file, content], { stdio: 'pipe' });
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

/**
 * Makes a bundle with RAUC alone, which does not check it.
 * @param {string} file @param {import('../../image/update/key.js').UpdateKey} key
 */
function sign(file, { key, cert, chain }) {
  const content = temporaryFolder();
  const manifest = '[update]\ncompatible=pitv-armhf\nversion=1\n\n[bundle]\nformat=verity\n';
  writeFileSync(join(content, 'manifest.raucm'), `${manifest}\n[image.root]\nfilename=root.img\n`);
  writeFileSync(join(content, 'root.img'), randomFillSync(Buffer.alloc(IMAGE_BYTES)));
  const keys = ['--key', key, '--cert', cert, '--intermediate', chain];
  execFileSync('rauc', ['bundle', ...keys, content, file], { stdio: 'pipe' });
  return file;
}

describe('keys of updates', { skip }, () => {
  const work = temporaryFolder();
  /** Makes a key in an empty folder. */
  const newKey = async () => {
    const folder = join(temporaryFolder(), 'key');
    return { folder, key: await makeKey(folder) };
  };
  /** The files of a key as they are now. @param {string} folder */
  const copyOf = async (folder) => {
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    return /** @type {import('../../image/update/key.js').UpdateKey} */ (await openKey(copy));
  };
  const bundle = (/** @type {Parameters<typeof sign>[1]} */ key) =>
    sign(join(temporaryFolder(), 'x.raucb'), key);
  /** @param {string} file @param {string} card @param {RegExp} reason */
  const refuses = (file, card, reason) => assert.throws(() => infoOf(file, card), reason);

  test('a leaf signs code for three years; a new one is accepted by the same cards; another root is not', async () => {
    const { folder, key } = await newKey();
    const card = settingsOf(key);
    const text = String(execFileSync('openssl', ['x509', '-in', key.cert, '-noout', '-text']));
    assert.match(text, /CA:FALSE[^]*Extended Key Usage: critical\s+Code Signing\n/);
    const { validFrom, validTo } = new X509Certificate(readFileSync(key.cert));
    assert.equal((Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000, 3 * 365);
    const first = bundle(key);
    await renewKey(folder, 'leaf');
    for (const file of [first, bundle(key)]) assert.equal(infoOf(file, card).version, '1');
    refuses(bundle((await newKey()).key), card, /self.signed certificate/);
  });

  test('an expired leaf signs no update, and a card refuses what it has signed', async () => {
    const { folder, key } = await newKey();
    const about = words`req -new -key ${key.key} -subj ${'/CN=pitv updates'}`;
    const request = execFileSync('openssl', about);
    const root = join(folder, 'root-1');
    const args = words`x509 -req -CA ${join(root, 'cert.pem')} -CAkey ${join(root, 'key.pem')} -days -1
      -extfile ${join(IMAGE, 'update/openssl.cnf')} -extensions leaf -out ${key.cert}`;
    execFileSync('openssl', args, { input: request, stdio: 'pipe' });
    refuses(bundle(key), settingsOf(key), /certificate has expired/);
    const message = /valid until .*ARGS=--leaf/;
    await assert.rejects(openKey(folder, { signs: true }), { code: 'PITV_UPDATE_KEY', message });
  });

  test('after a revocation, new cards refuse the leaves before, and all cards accept the new one', async () => {
    const { folder, key } = await newKey();
    const before = settingsOf(key);
    const stolen = await copyOf(folder);
    await renewKey(folder, 'revoke');
    const after = settingsOf(key);
    refuses(bundle(stolen), after, /certificate revoked/);
    infoOf(bundle(stolen), before);
    for (const card of [before, after]) infoOf(bundle(key), card);
    await renewKey(folder, 'successor');
    for (const card of [after, settingsOf(key)]) infoOf(bundle(key), card);
    await renewKey(folder, 'leaf');
    infoOf(bundle(key), settingsOf(key));
    refuses(bundle(key), after, /unable to get certificate CRL/);
    refuses(bundle(stolen), settingsOf(key), /certificate revoked/);
  });

  test('a successor is accepted by cards of the first root, and stays when that one goes', async () => {
    const { folder, key } = await newKey();
    const first = settingsOf(key);
    const old = await copyOf(folder);
    for (const number of [2, 3]) {
      await renewKey(folder, 'successor');
      const both = settingsOf(key);
      infoOf(bundle(old), both);
      await renewKey(folder, 'leaf');
      for (const card of [first, both]) infoOf(bundle(key), card);
      assert.match(
        String(execFileSync('openssl', ['x509', '-in', key.cert, '-noout', '-issuer'])),
        new RegExp(`pitv updates root ${number}$`, 'm'),
      );
    }
    rmSync(join(folder, 'root-1'), { recursive: true });
    await renewKey(folder, 'leaf');
    infoOf(bundle(key), settingsOf(key));
    refuses(bundle(old), settingsOf(key), /self.signed certificate|unable to get/);
  });

  test('a sentence says that the key of a root is missing, or that a key has no root', async () => {
    const { folder, key } = await newKey();
    const away = join(folder, 'root-1/key.pem');
    renameSync(away, join(work, 'away.pem'));
    infoOf(bundle(key), settingsOf(key));
    for (const action of /** @type {const} */ (['leaf', 'revoke', 'successor']))
      await assert.rejects(renewKey(folder, action), {
        code: 'PITV_UPDATE_KEY',
        message: /root-1\/key\.pem is not there/,
      });
    infoOf(bundle(key), settingsOf(key));
    const older = join(work, 'older');
    mkdirSync(older);
    for (const name of ['key', 'cert'])
      cpSync(join(folder, `${name}.pem`), join(older, `${name}.pem`));
    const refusal = { code: 'PITV_UPDATE_KEY', message: /of an earlier version: it has no root/ };
    await assert.rejects(openKey(older), refusal);
    await assert.rejects(renewKey(older, 'leaf'), refusal);
  });
});
