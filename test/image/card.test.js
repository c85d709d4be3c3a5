import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { PARTITIONS, makeCard, partition, readPartitions } from '../../image/sd/card.js';
import { Disk, withDisk } from '../../image/qemu/disk.js';
import { temporaryFolder, writeTree } from '../support/folders.js';
import { readAt } from './files.js';

const MIB = 1024 * 1024;
const folder = temporaryFolder();
const file = join(folder, 'card.img');
const parts = { boot: join(folder, 'boot'), work: folder, epochS: 1_700_000_000 };

before(async () => {
  writeTree(folder, {
    'boot/cmdline.txt': 'root=x\n',
    'boot/sub/file': 'below\n',
    'root.squashfs': 'hsqs of a root',
  });
  await makeCard({ file, root: join(folder, 'root.squashfs'), ...parts });
});

test('the partitions are in order, with data as the last one, and are read as they were written', async () => {
  for (const [index, { startMib }] of PARTITIONS.entries()) {
    const before = PARTITIONS[index - 1];
    assert.ok(startMib >= (before ? before.startMib + before.sizeMib : 1));
  }
  assert.equal(PARTITIONS.at(-1)?.name, 'data');
  const read = (await readPartitions(file)).map(({ start, bytes }) => [start / MIB, bytes / MIB]);
  const expected = PARTITIONS.map(({ startMib, sizeMib }) => [startMib, sizeMib]);
  assert.deepEqual(read, expected);
});

test('the card has the bytes of the root, a clean ext4 for data, and is sparse', async () => {
  assert.equal(String(readAt(file, partition('root').startMib * MIB, 14)), 'hsqs of a root');
  const { startMib, sizeMib } = partition('data');
  const at = `${file}?offset=${startMib * MIB}`;
  const check = spawnSync('/sbin/e2fsck', ['-fn', at], { encoding: 'utf8' });
  assert.equal(check.status, 0, check.stdout + check.stderr);
  assert.match(check.stdout, /^pitv-data: 11\/\d+ files/m);
  const { blocks, size } = await stat(file);
  assert.equal(size, (startMib + sizeMib) * MIB);
  assert.ok(blocks * 512 < 24 * MIB, `${blocks * 512} bytes`);
});

test('the size of a copy is a power of two; files can be written to it and read', async () => {
  const check = async (/** @type {Disk} */ disk) => {
    assert.equal((await stat(disk.file)).size, 1024 * MIB);
    assert.equal(await disk.read('cmdline.txt'), 'root=x\n');
    assert.equal(await disk.read('sub/file'), 'below\n');
    for (const text of ['host_name = attic\n', 'host_name = cellar\n']) {
      await disk.write('pitv.txt', text);
      assert.equal(await disk.read('pitv.txt'), text);
    }
    return disk.folder;
  };
  const copy = await withDisk(file, check, { bytes: 1024 * MIB });
  await assert.rejects(stat(copy), { code: 'ENOENT' });
});

test('the copy of a killed process is removed with the next copy', async () => {
  const url = JSON.stringify(new URL('../../image/qemu/disk.js', import.meta.url));
  const program = `const { Disk } = await import(${url});
    process._rawDebug((await Disk.copyOf(${JSON.stringify(file)})).folder);
    process.kill(process.pid, 'SIGKILL');`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
  const left = stderr.toString().trim();
  assert.ok((await stat(left)).isDirectory());
  const mine = await Disk.copyOf(file);
  await assert.rejects(stat(left), { code: 'ENOENT' });
  const other = await Disk.copyOf(file);
  assert.ok((await stat(mine.folder)).isDirectory());
  for (const disk of [mine, other]) await disk.remove();
});

test('a root that is larger than its partition, and a file that is not a card are rejected', async () => {
  const root = join(folder, 'huge');
  await writeFile(root, '');
  await truncate(root, (partition('root').sizeMib + 1) * MIB);
  const made = makeCard({ file: join(folder, 'x.img'), root, ...parts });
  await assert.rejects(made, { code: 'PITV_IMAGE_TOO_LARGE' });
  const read = readPartitions(join(folder, 'root.squashfs'));
  await assert.rejects(read, { code: 'PITV_IMAGE_NOT_A_CARD' });
});
