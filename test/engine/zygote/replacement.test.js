/**
 * What follows a zygote that dies or stops, and the spare: a child that is forked ahead. Runs on every Node.js by
 * nodes.long.test.js.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { ProcessHandle } from '../../../app/engine/zygote/process-handle.js';
import { onlyLong } from '../../support/extent.js';
import { until } from '../helpers.js';
import {
  ask,
  isAlive,
  parentOf,
  probe,
  rejects,
  spareOf,
  sparesOf,
  untidyZygote,
} from './helpers.js';

test('a process has ended although nobody waits for it: process 1 of a container may never do so', async (t) => {
  // A shell that becomes another program has children that this program does not know.
  const parent = spawn('sh', ['-c', 'sleep 99 & echo $!; exec sleep 99'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => parent.kill());
  const pid = Number(String((await once(parent.stdout, 'data'))[0]));
  const handle = new ProcessHandle(pid);
  t.after(() => handle.close());
  assert.equal(handle.kill(0), true);
  assert.equal(handle.kill('SIGKILL'), true);
  await until(() => !handle.kill(0), 'the process has ended');
  assert.ok(process.kill(pid, 0), 'its entry is left');
});

test('when the zygote dies, its children continue and another zygote forks', async (t) => {
  const zygote = await untidyZygote(t);
  const talking = await zygote.fork({ probe: 'talk' });
  const staying = await zygote.fork({ probe: 'stay' });
  const old = zygote.pid;
  const died = once(zygote, 'died');
  process.kill(old, 'SIGKILL');
  const started = await Promise.all(Array.from({ length: 5 }, () => ask(zygote, 'identity')));
  assert.equal((await died)[0].signal, 'SIGKILL');
  assert.notEqual(zygote.pid, old);
  for (const { ppid } of started) assert.ok(ppid === old || ppid === zygote.pid);

  const answer = once(talking, 'message');
  talking.send('still there?');
  assert.deepEqual(await answer, ['still there?']);
  assert.notEqual(parentOf(Number(talking.pid)), old);
  talking.send('end');
  const ended = await talking.exited;
  assert.deepEqual([ended.code, ended.orphaned], [0, true], 'it reported its end itself');
  staying.kill('SIGKILL');
  const killed = await staying.exited;
  assert.deepEqual([killed.signal, killed.orphaned], ['SIGKILL', true]);
});

test('zygotes that die repeatedly are replaced after growing pauses', async (t) => {
  const zygote = await untidyZygote(t);
  /** Kills the zygote and waits for the next one. @returns {Promise<number>} ms between them, without the warm-up */
  const die = async (/** @type {boolean} */ pause) => {
    const died = once(zygote, 'died');
    const ready = once(zygote, 'ready');
    process.kill(zygote.pid, 'SIGKILL');
    await died;
    const since = performance.now();
    if (pause)
      await rejects(zygote.fork(), 'PITV_ZYGOTE_FAILED', /died soon after they were ready/);
    const [{ warmMs }] = await ready;
    return performance.now() - since - warmMs;
  };
  await die(false);
  const pauses = [await die(true), await die(true)];
  for (const [i, ms] of pauses.entries()) assert.ok(ms > 240 * 2 ** i, `pause ${i}: ${ms} ms`);
  assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
});

const waits = { skip: onlyLong, timeout: 60_000 }; // until a request counts as unanswered
test('the exit of a child is known although the zygote reports it late', async (t) => {
  const zygote = await untidyZygote(t);
  const child = await zygote.fork({ probe: 'stay' });
  process.kill(zygote.pid, 'SIGSTOP');
  process.kill(Number(child.pid), 'SIGTERM');
  await once(child, 'disconnect');
  setTimeout(() => process.kill(zygote.pid, 'SIGCONT'), 1200);
  const { signal, orphaned } = await child.exited;
  assert.deepEqual([signal, orphaned], ['SIGTERM', false]);
});

test('a stopped zygote is replaced', waits, async (t) => {
  const zygote = await untidyZygote(t);
  const old = zygote.pid;
  process.kill(old, 'SIGSTOP');
  const { ppid } = await ask(zygote, 'identity');
  assert.notEqual(ppid, old);
  assert.equal(ppid, zygote.pid);
});

/** @param {import('./helpers.js').Zygote} zygote @param {number} [not] */
async function spareIn(zygote, not) {
  const there = () => (spareOf(zygote.pid) ?? not) !== not;
  await until(there, 'a spare is forked');
  await new Promise((resolve) => setImmediate(resolve)); // until this process knows it
  return /** @type {number} */ (spareOf(zygote.pid));
}

test('a start uses the spare with its own options; another spare follows', async (t) => {
  const zygote = await untidyZygote(t);
  const spare = await spareIn(zygote);
  const options = { name: 'mine', niceness: 7, cpus: [0], memoryMb: 64 };
  const { child, messages } = await probe(zygote, 'identity', undefined, options);
  assert.equal(child.pid, spare);
  assert.equal(messages[0].pid, spare);
  assert.notEqual(await spareIn(zygote, spare), spare);
});

test('a killed spare is replaced, and a spare ends when its zygote dies', async (t) => {
  const zygote = await untidyZygote(t);
  const killed = await spareIn(zygote);
  process.kill(killed, 'SIGKILL');
  await until(() => !isAlive(killed), 'it has ended');
  const { pid } = await ask(zygote, 'identity'); // is forked at once
  assert.notEqual(pid, killed);
  const spare = await spareIn(zygote, killed);
  process.kill(zygote.pid, 'SIGKILL');
  await until(() => !isAlive(spare), 'it has ended');
  await ask(zygote, 'identity');
});

test('several spares: starts use the oldest first, and no spare has the sockets of another', async (t) => {
  const zygote = await untidyZygote(t, { spares: 3 });
  const spares = () => sparesOf(zygote.pid);
  await until(() => spares().length === 3, 'three spares are forked');
  await new Promise((resolve) => setImmediate(resolve));
  const before = spares();
  const started = await Promise.all(before.map(() => ask(zygote, 'identity')));
  assert.deepEqual(
    started.map(({ pid }) => pid),
    before,
  );
  await until(() => spares().length === 3, 'three more are forked');
  const sockets = spares().flatMap(socketsOf);
  assert.ok(sockets.length >= 3 && new Set(sockets).size === sockets.length, sockets.join());
});

/** @param {number} pid @returns {string[]} its sockets, without stdin, stdout and stderr */
const socketsOf = (pid) => [
  ...new Set(
    readdirSync(`/proc/${pid}/fd`)
      .filter((fd) => Number(fd) > 2)
      .map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
      .filter((link) => link.startsWith('socket:')),
  ),
];

test('the option spares: 0 forks none', async (t) => {
  const zygote = await untidyZygote(t, { spares: 0 });
  await ask(zygote, 'identity');
  await new Promise((resolve) => setTimeout(resolve, 500)); // several times as long as it takes
  assert.equal(spareOf(zygote.pid), undefined);
});
