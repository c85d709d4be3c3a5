import assert from 'node:assert/strict';
import test from 'node:test';
import { availableBytes, reclaimableBytes } from '../../app/process/available-memory.js';
import { temporaryFolder } from '../support/folders.js';

const MIB = 1024 * 1024;

const v2 = (/** @type {number} */ mib) =>
  `anon ${30 * MIB}\nfile ${200 * MIB}\ninactive_file ${mib * MIB}\nactive_file 4096\n`;

test("a container's page cache counts as available", () => {
  const root = temporaryFolder({
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

test('the control group of the process is read, in cgroup v1 and v2', () => {
  const systemd = temporaryFolder({
    'proc/self/cgroup': '0::/system.slice/pitv.service\n',
    'sys/fs/cgroup/memory.stat': v2(1),
    'sys/fs/cgroup/system.slice/pitv.service/memory.stat': v2(7),
  });
  assert.equal(reclaimableBytes(systemd), 7 * MIB);
  const docker = temporaryFolder({
    'proc/self/cgroup': '5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/\n',
    'sys/fs/cgroup/memory/memory.stat': `inactive_file 4096\ntotal_inactive_file ${9 * MIB}\n`,
  });
  assert.equal(reclaimableBytes(docker), 9 * MIB);
});

test('without a control group, nothing is reclaimable', () => {
  assert.equal(reclaimableBytes(temporaryFolder({})), 0);
});

test('the memory of this machine is measured', () => {
  assert.ok(availableBytes() > MIB);
});
