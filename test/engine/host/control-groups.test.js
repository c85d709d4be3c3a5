/** Control groups of games of others, in the kernel's own cgroup2 file system. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { limitProcess, openControlGroups } from '../../../app/engine/host/control-groups.js';
import { temporaryFolder, until } from '../../support/tv.js';

const MEMORY_MB = 100;
/** The place where cgroup2 is mounted. */
const root = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/self/mounts', 'latin1'))?.[1] ?? '';
const unit = `pitv-test-${process.pid}`;

/** Makes the groups that systemd delegates to the TV. @returns {string | undefined} why that is impossible */
function makeGroups() {
  if (root === '') return 'this machine has no cgroup2';
  try {
    mkdirSync(join(root, unit, 'tv'), { recursive: true });
    return undefined;
  } catch {
    return 'this user may not make control groups';
  }
}
const why = makeGroups();
process.once('exit', () => {
  for (const name of ['games', 'tv', '.']) {
    if (existsSync(join(root, unit, name))) rmdirSync(join(root, unit, name));
  }
});

/**
 * Opens the groups for a process that is in a group.
 * @param {import('node:test').TestContext} t @param {string} group
 */
async function open(t, group) {
  const own = join(temporaryFolder(), 'cgroup');
  writeFileSync(own, `0::/${unit}/${group}\n`);
  return openControlGroups({ root, own });
}

test('a process gets a group of its own, which goes with it', { skip: why ?? false }, async (t) => {
  const controllers = await open(t, 'tv');
  const child = spawn('sleep', ['60']);
  const ended = once(child, 'exit');
  t.after(() => child.kill());
  await once(child, 'spawn');
  const limited = limitProcess(Number(child.pid), MEMORY_MB, ended);
  const group = join(unit, 'games', String(child.pid));
  const path = `/proc/${child.pid}/cgroup`;
  await until(() => readFileSync(path, 'latin1').includes(`0::/${group}\n`), 'the group');
  const limitOf = (/** @type {string} */ file) => readFileSync(join(root, group, file), 'latin1');
  if (controllers?.includes('pids')) assert.equal(limitOf('pids.max'), '64\n');
  if (controllers?.includes('memory')) assert.equal(Number(limitOf('memory.max')), 228 * 2 ** 20);
  child.kill();
  await limited;
  assert.ok(!existsSync(join(root, group)));
});

test('nothing changes in a group that is not delegated', { skip: why ?? false }, async (t) => {
  assert.equal(await open(t, 'other'), undefined);
  assert.ok(!existsSync(join(root, unit, 'games', String(process.pid))));
  await limitProcess(process.pid, MEMORY_MB, Promise.resolve());
  assert.doesNotMatch(readFileSync('/proc/self/cgroup', 'latin1'), new RegExp(unit));
});
