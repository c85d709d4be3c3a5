import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../app/limits/table.js';
import { pack, unpack } from '../../app/packages/archive.js';
import { PackageFolder, listSourceFiles } from '../../app/packages/package-folder.js';
import { entriesOf, longEntry, packageFiles, tarOf, writeArchive } from '../support/archives.js';
import { temporaryFolder, writeTree } from '../support/folders.js';

/** @typedef {import('../support/archives.js').Entry} Entry */

const GOOD = entriesOf({ 'package.json': '{}' });
/** @param {string} path @param {Partial<Entry>} [more] @returns {Entry[]} */
const withEntry = (path, more) => [...GOOD, { path, text: 'x', ...more }];
/** @param {string} path @param {import('tar').types.EntryTypeName} type @param {string} [linkpath] */
const special = (path, type, linkpath) => withEntry(path, { type, linkpath, text: '' });

/** @param {(i: number) => Entry} entry @returns {Entry[]} one more than there may be */
const tooMany = (entry) =>
  Array.from({ length: LIMITS.packageFiles.value + 1 }, (_, i) => entry(i));

/** Hostile archives, and what the sentence about each says. @type {Record<string, [Entry[] | Buffer, RegExp]>} */
const BAD = {
  'a path with ..': [withEntry('package/../../evil'), /leads out/],
  'a path with .. at its top': [withEntry('../evil'), /leads out/],
  'an absolute path': [withEntry('/package/evil'), /leads out/],
  'an absolute path inside': [withEntry('package//etc/evil'), /absolute/],
  'a second folder': [withEntry('other/evil'), /one folder at its top/],
  'a file at its top': [withEntry('evil'), /one folder at its top/],
  'a symbolic link': [special('package/evil', 'SymbolicLink', '../../evil'), /SymbolicLink/],
  'a file behind a symbolic link': [
    [...special('package/way', 'SymbolicLink', '..'), { path: 'package/way/evil', text: 'x' }],
    /SymbolicLink/,
  ],
  'a hard link': [special('package/evil', 'Link', '/etc/passwd'), /Link/],
  'a device': [special('package/evil', 'CharacterDevice'), /Device/],
  'a pipe': [special('package/evil', 'FIFO'), /FIFO/],
  'a file twice': [withEntry('package/package.json'), /twice/],
  'a file that is a folder, too': [withEntry('package/package.json/evil'), /a file and a folder/],
  'another package': [withEntry('package/node_modules/a/b.js'), /no other/],
  'a backslash': [withEntry('package/..\\evil'), /not accepted/],
  'a control character': [withEntry('package/\u001b[2J'), /not accepted/],
  'a direction character': [withEntry('package/a\u202ejs'), /a\\u202ejs/],
  'a long name': [[...GOOD, ...longEntry(`package/${'n'.repeat(101)}`, 'x')], /not accepted/],
  'a long path': [[...GOOD, ...longEntry(`package/${'deep/'.repeat(40)}f`, 'x')], /not accepted/],
  'long attributes': [[...GOOD, ...longEntry(`package/${'n'.repeat(20_000)}`, 'x')], /Extended/],
  'a wrong checksum': [Buffer.from(tarOf(GOOD)).fill('z', 0, 4), /cannot be read/],
  'an archive in it': [gzipSync(tarOf(GOOD)), /cannot be read/],
  'no entry': [tarOf([]), /cannot be read|empty/],
  garbage: [Buffer.from('This is no archive.'.repeat(99)), /cannot be read/],
};

const text = '\0'.repeat(LIMITS.packageFileBytes.value);
/** Archives that are too large. @type {typeof BAD} */
const LARGE = {
  'a huge file': [withEntry('package/huge', { size: LIMITS.packageFileBytes.value + 1 }), /huge/],
  'a file of terabytes': [withEntry('package/huge', { size: 2 ** 42 }), /huge/],
  'too many bytes': [
    [1, 2, 3].map((i) => ({ path: `package/${i}`, text })),
    /The package has more/,
  ],
  'too many files': [tooMany((i) => ({ path: `package/${i}` })), /more than \d+ files/],
  'too many folders': [tooMany((i) => ({ path: `package/${i}/`, type: 'Directory' })), /\d+ files/],
  'too many folders in the paths of its files': [
    Array.from({ length: 20 }, (_, i) => ({ path: `package/${i}/${'deep/'.repeat(30)}f` })),
    /\d+ files/,
  ],
  'a bomb behind its end': [
    Buffer.concat([tarOf(GOOD), Buffer.alloc(24 * 1024 * 1024)]),
    /The unpacked archive/,
  ],
};

async function makeTarget() {
  const folder = temporaryFolder();
  const inside = join(folder, 'inside', 'target');
  mkdirSync(inside, { recursive: true });
  return { folder, target: new PackageFolder(inside), archive: join(folder, 'package.tgz') };
}

for (const [name, [content, message]] of Object.entries({ ...BAD, ...LARGE })) {
  test(`an archive with ${name} is refused`, async () => {
    const { folder, target, archive } = await makeTarget();
    writeFileSync(archive, gzipSync(Buffer.isBuffer(content) ? content : tarOf(content)));
    const code = name in LARGE ? 'PITV_PACKAGE_SIZE' : 'PITV_PACKAGE_ARCHIVE';
    await assert.rejects(unpack(archive, target), { code, message });
    assert.deepEqual(readdirSync(folder).sort(), ['inside', 'package.tgz']);
    assert.deepEqual(readdirSync(join(folder, 'inside')), ['target']);
  });
}

test('a folder with too many folders is refused', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'a/'.repeat(LIMITS.packageFiles.value + 1)), { recursive: true });
  await assert.rejects(listSourceFiles(folder), { code: 'PITV_PACKAGE_SIZE' });
});

test('an archive that is cut, not compressed or too large is refused', async () => {
  const { target, archive } = await makeTarget();
  const whole = gzipSync(tarOf(entriesOf(packageFiles('gather'))));
  const cut = [0, 9, 300, whole.length - 4].map((length) => whole.subarray(0, length));
  for (const content of [tarOf(GOOD), ...cut]) {
    writeFileSync(archive, content);
    await assert.rejects(unpack(archive, target), { code: 'PITV_PACKAGE_ARCHIVE' });
  }
  const noise = Buffer.alloc(LIMITS.packageArchiveBytes.value);
  for (let i = 0; i < noise.length; i++) noise[i] = (i * i * 2654435761) >>> 24;
  writeFileSync(archive, gzipSync(noise, { level: 0 }));
  await assert.rejects(unpack(archive, target));
  await assert.rejects(unpack(join(archive, 'nowhere'), target), { code: 'ENOTDIR' });
});

test('an archive of npm or pitv is unpacked, and a game can read its files as any user', async () => {
  const { target, archive } = await makeTarget();
  const files = packageFiles('gather', { files: { 'parts/a.js': 'export {};', empty: '' } });
  writeArchive(archive, [{ path: 'package/', type: 'Directory' }, ...entriesOf(files)]);
  await unpack(archive, target);
  for (const [path, text] of Object.entries(files)) {
    assert.equal(readFileSync(join(target.folder, path), 'utf8'), text);
    assert.equal(statSync(join(target.folder, path)).mode & 0o777, 0o644);
  }
  assert.equal(target.files, 4);
  assert.equal(target.bytes, Buffer.byteLength(Object.values(files).join('')));
});

test('the same files make the same archive, which can be unpacked', async () => {
  const { folder, target } = await makeTarget();
  const source = join(folder, 'source');
  const files = packageFiles('gather', { files: { 'parts/a.js': '1', '@odd': '2' } });
  const others = { '.git/config': 'x', 'node_modules/pitv/a.js': 'x', 'old.tgz': 'x' };
  writeTree(source, { ...files, ...others });
  const names = (await listSourceFiles(source)).map(({ path }) => path);
  assert.deepEqual(names, Object.keys(files).sort());
  const archives = ['one', 'two'].map((name) => join(folder, name));
  for (const archive of archives) await pack(source, names, archive);
  assert.deepEqual(readFileSync(archives[0]), readFileSync(archives[1]));
  await unpack(archives[0], target);
  for (const [path, text] of Object.entries(files)) {
    assert.equal(readFileSync(join(target.folder, path), 'utf8'), text);
  }
});
