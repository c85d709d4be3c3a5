/** Tests of signed updates: the key, the bundle, and which bundles are refused. RAUC itself makes and checks them. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate, randomBytes } from 'node:crypto';
import { cpSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/** @typedef {import('../../image/update/key.js').UpdateKey} UpdateKey */

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
  const images = { boot: join(work, 'boot.img'), root: join(work, 'root.img') };
  const bundle = join(work, 'good.raucb');
  /** @type {UpdateKey} */
  let key;
  before(async () => {
    key = await makeKey(join(work, 'key'), { development: true });
    for (const file of Object.values(images)) writeFileSync(file, randomBytes(IMAGE_BYTES));
    await makeBundle({ system: 'armhf', version: '1.2.3', images, key, file: bundle });
  });

  test('a release refuses a development key, and accepts its own; a key is private and is not replaced', async () => {
    const [folder, release] = ['key', 'release'].map((name) => join(work, name));
    for (const path of [folder, key.key]) assert.equal(statSync(path).mode & 0o077, 0);
    const own = await makeKey(release);
    const code = 'PITV_UPDATE_KEY';
    await assert.rejects(openKey(folder, { signs: true }), { code });
    assert.deepEqual(await openKey(release, { signs: true }), own);
    cpSync(key.key, own.key);
    const message = /do not belong together/;
    await assert.rejects(openKey(release, { signs: true }), { code, message });
    for (const path of [folder, join(IMAGE, 'key')]) await assert.rejects(makeKey(path), { code });
    await assert.rejects(makeKey('/proc/pitv/key'), { code: 'ENOENT' });
    assert.ok(!readdirSync(IMAGE).some((name) => name.startsWith('key')), 'not in the project');
  });

  test('isWhole() accepts a bundle, and refuses cut and other files', async () => {
    const bytes = readFileSync(bundle);
    const at = join(work, 'other');
    const holes = Buffer.alloc(bytes.length);
    bytes.copy(holes, 0, 0, 4096);
    const ends = [0, 100, bytes.length >> 1, bytes.length - 1];
    const cut = ends.map((end) => bytes.subarray(0, end));
    for (const other of [...cut, holes, Buffer.from('no bundle'), randomBytes(5000)]) {
      writeFileSync(at, other);
      assert.equal(await isWhole(at), false, `${other.length} bytes`);
    }
    assert.equal(await isWhole(bundle), true);
  });

  test('the programs say which folder has no key, or cannot be made', () => {
    const none = /^\/proc\/none has no key for updates .*`make update-key` has made\./m;
    const programs = ['build.js', 'update/bundle.js', 'qemu/cli.js', 'release.js'];
    for (const program of [...programs, 'update/key.js']) {
      const args = [join(IMAGE, program), '--key', '/proc/none'];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.equal(status, 1, program);
      assert.match(stderr, programs.includes(program) ? none : /^ENOENT: .*'\/proc\/none/);
      assert.doesNotMatch(stderr, /\n {4}at /);
    }
  });

  test("a card's bundle has its boot slot and its root, and replaces the one before", async () => {
    const layer = { folder: join(work, 'layer') };
    cpSync(images.boot, join(layer.folder, 'slot.img'));
    cpSync(images.root, join(layer.folder, 'root.squashfs'));
    const own = systemVersion([{ date: '2026-11-21' }, { date: '2026-11-26' }], 1_700_000_000);
    writeFileSync(join(layer.folder, 'version'), `${own}\n`);
    const out = join(work, 'out');
    const make = () => bundleCard({ card: layer, root: layer }, { system: 'arm64', out, key });
    const { file } = await make();
    assert.equal((await make()).file, file);
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
});

describe('keys of updates', { skip }, () => {
  /** Makes a key in an empty folder. */
  const newKey = async () => {
    const folder = join(temporaryFolder(), 'key');
    return { folder, key: await makeKey(folder) };
  };
  /** Makes a bundle with RAUC alone, which does not check it. @param {UpdateKey} key */
  function bundle({ key, cert, chain }) {
    const [content, out] = [temporaryFolder(), temporaryFolder()];
    const manifest = '[update]\ncompatible=pitv-armhf\nversion=1\n[bundle]\nformat=verity\n';
    writeFileSync(join(content, 'manifest.raucm'), `${manifest}[image.root]\nfilename=root.img\n`);
    writeFileSync(join(content, 'root.img'), randomBytes(IMAGE_BYTES));
    const file = join(out, 'x.raucb');
    const keys = ['--key', key, '--cert', cert, '--intermediate', chain];
    execFileSync('rauc', ['bundle', ...keys, content, file], { stdio: 'pipe' });
    return file;
  }
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
    const stolen = bundle(key);
    await renewKey(folder, 'revoke');
    const after = settingsOf(key);
    refuses(stolen, after, /certificate revoked/);
    infoOf(stolen, before);
    for (const card of [before, after]) infoOf(bundle(key), card);
    await renewKey(folder, 'successor');
    for (const card of [after, settingsOf(key)]) infoOf(bundle(key), card);
    await renewKey(folder, 'leaf');
    infoOf(bundle(key), settingsOf(key));
    refuses(bundle(key), after, /unable to get certificate CRL/);
    refuses(stolen, settingsOf(key), /certificate revoked/);
  });

  test('a successor is accepted by cards of the first root, and stays when that one goes', async () => {
    const { folder, key } = await newKey();
    const first = settingsOf(key);
    const old = bundle(key);
    for (const number of [2, 3]) {
      await renewKey(folder, 'successor');
      const both = settingsOf(key);
      infoOf(old, both);
      await renewKey(folder, 'leaf');
      for (const card of [first, both]) infoOf(bundle(key), card);
      const { issuer } = new X509Certificate(readFileSync(key.cert));
      assert.match(issuer, new RegExp(`pitv updates root ${number}$`, 'm'));
    }
    rmSync(join(folder, 'root-1'), { recursive: true });
    await renewKey(folder, 'leaf');
    infoOf(bundle(key), settingsOf(key));
    refuses(old, settingsOf(key), /self.signed certificate|unable to get/);
  });

  test('a sentence says that the key of a root is missing, or that an older key has no keyring', async () => {
    const { folder, key } = await newKey();
    const code = 'PITV_UPDATE_KEY';
    rmSync(join(folder, 'root-1/key.pem'));
    const away = { code, message: /root-1\/key\.pem is not there/ };
    for (const action of /** @type {const} */ (['leaf', 'revoke', 'successor']))
      await assert.rejects(renewKey(folder, action), away);
    infoOf(bundle(key), settingsOf(key));
    rmSync(key.keyring);
    const refusal = { code, message: /A key of an earlier version has no keyring/ };
    await assert.rejects(openKey(folder), refusal);
    await assert.rejects(renewKey(folder, 'leaf'), refusal);
  });
});
