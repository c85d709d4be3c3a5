import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import {
  PARTITIONS,
  makeCard,
  partition,
  formatPartitionTable,
  readPartitions,
} from '../../image/sd/card.js';
import { Disk } from '../../image/qemu/disk.js';
import { temporaryFolder } from '../support/folders.js';

const MIB = 1024 * 1024;
const folder = temporaryFolder();
/** @type {string} */
let file;

before(async () => {
  file = join(folder, 'card.img');
  await mkdir(join(folder, 'boot', 'sub'), { recursive: true });
  await writeFile(join(folder, 'boot', 'cmdline.txt'), 'root=x\n');
  await writeFile(join(folder, 'boot', 'sub', 'file'), 'below\n');
  await writeFile(join(folder, 'root.squashfs'), 'hsqs of a root');
  await makeCard({
    file,
    boot: join(folder, 'boot'),
    root: join(folder, 'root.squashfs'),
    work: folder,
    epochS: 1_700_000_000,
  });
});

test('the partitions are in order, aligned to MiB, with data as the last one', () => {
  for (const [index, { startMib, sizeMib }] of PARTITIONS.entries()) {
    const before = PARTITIONS[index - 1];
    assert.ok(startMib >= (before ? before.startMib + before.sizeMib : 1));
    assert.ok(sizeMib > 0);
  }
  assert.equal(PARTITIONS[PARTITIONS.length - 1].name, 'data');
  assert.match(formatPartitionTable(), /^label: dos\nlabel-id: 0x50495456$/m);
});

test('the partition table is read as it was written', async () => {
  assert.deepEqual(
    (await readPartitions(file)).map(({ start, bytes }) => [start / MIB, bytes / MIB]),
    PARTITIONS.map(({ startMib, sizeMib }) => [startMib, sizeMib]),
  );
});

test('the root partition has the bytes of the root file system', async () => {
  const handle = await open(file);
  const text = Buffer.alloc(14);
  await handle.read(text, 0, text.length, partition('root').startMib * MIB);
  await handle.close();
  assert.equal(text.toString(), 'hsqs of a root');
});

test('the data partition is a clean ext4', async () => {
  const data = join(folder, 'data.img');
  const { startMib, sizeMib } = partition('data');
  spawnSync('dd', [`if=${file}`, `of=${data}`, 'bs=1M', `skip=${startMib}`, `count=${sizeMib}`]);
  const check = spawnSync('/sbin/e2fsck', ['-fn', data], { encoding: 'utf8' });
  assert.equal(check.status, 0, check.stdout + check.stderr);
  assert.match(check.stdout, /^pitv-data: 11\/\d+ files/m);
});

test('the file of a card is sparse', async () => {
  const { blocks, size } = await stat(file);
  assert.equal(size, (partition('data').startMib + partition('data').sizeMib) * MIB);
  assert.ok(blocks * 512 < 24 * MIB, `${blocks * 512} bytes`);
});

test('the size of a copy is a power of two; files can be written to it and read', async () => {
  const disk = await Disk.copyOf(file, { bytes: 1024 * MIB });
  try {
    assert.equal((await stat(disk.file)).size, 1024 * MIB);
    assert.equal(await disk.read('cmdline.txt'), 'root=x\n');
    assert.equal(await disk.read('sub/file'), 'below\n');
    await disk.write('pitv.txt', 'host_name = attic\n');
    await disk.write('pitv.txt', 'host_name = cellar\n');
    assert.equal(await disk.read('pitv.txt'), 'host_name = cellar\n');
  } finally {
    await disk.remove();
  }
  await assert.rejects(stat(disk.folder), { code: 'ENOENT' });
});

test('the copy of a killed process is removed with the next copy', async () => {
  const program = `const { Disk } = await import(${JSON.stringify(new URL('../../image/qemu/disk.js', import.meta.url))});
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

test('a root that is larger than its partition is rejected', async () => {
  const huge = join(folder, 'huge');
  await writeFile(huge, '');
  const handle = await open(huge, 'r+');
  await handle.truncate((partition('root').sizeMib + 1) * MIB);
  await handle.close();
  const parts = {
    file: join(folder, 'x.img'),
    boot: join(folder, 'boot'),
    work: folder,
    epochS: 0,
  };
  await assert.rejects(makeCard({ ...parts, root: huge }), { code: 'PITV_IMAGE_TOO_LARGE' });
});

test('a file that is not a card is rejected', async () => {
  await assert.rejects(readPartitions(join(folder, 'root.squashfs')), {
    code: 'PITV_IMAGE_NOT_A_CARD',
  });
});
