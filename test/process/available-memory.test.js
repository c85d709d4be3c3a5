import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { availableBytes, reclaimableBytes } from '../../app/process/available-memory.js';
import { temporaryFolder } from '../support/tv.js';

const MIB = 1024 * 1024;

/** @param {import('node:test').TestContext} t @param {Record<string, string>} files path -> text */
async function rootWith(t, files) {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const v2 = (/** @type {number} */ mib) =>
  `anon ${30 * MIB}\nfile ${200 * MIB}\ninactive_file ${mib * MIB}\nactive_file 4096\n`;

test("a container's page cache counts as available", async (t) => {
  const root = await rootWith(t, {
    'proc/self/cgroup': '0::/\n',
    'sys/fs/cgroup/memory.stat': v2(180),
  });
  const reclaimable = reclaimableBytes(root);
  assert.equal(reclaimable, 180 * MIB);
  // 256 MiB, of which 230 are used: 180 of these by the page cache.
  assert.equal(availableBytes({ free: 26 * MIB, machine: 4096 * MIB, reclaimable }), 206 * MIB);
});

test('the memory of the machine is the limit if it is less', () => {
  const now = { free: 100 * MIB, machine: 50 * MIB, reclaimable: 20 * MIB };
  assert.equal(availableBytes(now), 50 * MIB);
});

test('the control group of the process is read, in cgroup v1 and v2', async (t) => {
  const systemd = await rootWith(t, {
    'proc/self/cgroup': '0::/system.slice/pitv.service\n',
    'sys/fs/cgroup/memory.stat': v2(1),
    'sys/fs/cgroup/system.slice/pitv.service/memory.stat': v2(7),
  });
  assert.equal(reclaimableBytes(systemd), 7 * MIB);
  const docker = await rootWith(t, {
    'proc/self/cgroup': '5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/\n',
    'sys/fs/cgroup/memory/memory.stat': `inactive_file 4096\ntotal_inactive_file ${9 * MIB}\n`,
  });
  assert.equal(reclaimableBytes(docker), 9 * MIB);
});

test('without a control group, nothing is reclaimable', async (t) => {
  assert.equal(reclaimableBytes(await rootWith(t, {})), 0);
});

test('the memory of this machine is measured', () => {
  assert.ok(availableBytes() > MIB);
});
