/**
 * What a worker shares with its zygote and with other workers: nothing but the rows of a table. kcmp(2) tells whether
 * two descriptors of two processes are the same open file description.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { describe } from 'node:test';
import { countSizes, engineTests, jobUrl, lock, until } from '../helpers.js';
import { parentOf } from '../../support/serve.js';
import { skip } from './helpers.js';
import { buildRawCalls } from './raw-calls.js';
import { temporaryFolder } from '../../support/folders.js';

const { EBADF } = os.constants.errno;

/** Why a worker of pitv's own games shares a descriptor of its own with its zygote. */
const SHARED_BY_OWN = {
  0: 'stdin of the TV: /dev/null',
  1: 'stdout of the TV',
  4: 'the lifeline: its closing ends a worker whose zygote has died before the TV does',
};

describe('a worker of the zygote', { skip: skip || noKcmp() }, () => {
  const test = engineTests('zygote');
  const addon = buildRawCalls(temporaryFolder());
  const { rawCall, numbers } = createRequire(import.meta.url)(addon);
  const descriptorsOf = (/** @type {number} */ pid) => readdirSync(`/proc/${pid}/fd`);
  /** Lists the descriptors of p that q has, too. @param {number} p @param {number} q */
  function sharedBy(p, q) {
    const others = descriptorsOf(q);
    const isShared = (/** @type {string} */ own) =>
      others.some((other) => {
        const order = rawCall(numbers.kcmp, p, q, 0, Number(own), Number(other));
        assert.ok(order >= 0 || order === -EBADF, `kcmp: ${order}`); // EBADF: closed meanwhile
        return order === 0;
      });
    return descriptorsOf(p).filter(isShared);
  }
  /** Lists the files in RAM that a process maps, by inode. @param {number} pid */
  const memoryOf = (pid) =>
    readFileSync(`/proc/${pid}/maps`, 'latin1')
      .split('\n')
      .filter((line) => /^\S+ ...s /.test(line))
      .map((line) => line.split(/\s+/)[4]);
  /** @param {number} p @param {number} q */
  const sharedMemory = (p, q) => memoryOf(p).filter((inode) => memoryOf(q).includes(inode));

  test('that is locked shares no descriptor and no memory', async (engine) => {
    const start = () => engine.start(jobUrl('count'), { sizes: countSizes, lock });
    // The first comes from a spare, and the second is forked on demand.
    const workers = await Promise.all([
      start(),
      start(),
      engine.start(jobUrl('count'), { sizes: countSizes }),
    ]);
    const [first, second, own] = workers.map(({ pid }) => pid);
    const zygote = parentOf(first);
    await until(() => workers.every(({ mailbox }) => mailbox.tick > 2), 'they tick');
    for (const [p, q] of [
      [first, zygote],
      [second, zygote],
      [first, second],
      [first, own],
      [first, process.pid],
      [second, process.pid],
    ]) {
      assert.deepEqual(sharedBy(p, q), [], `${p} and ${q}`);
    }
    for (const [p, q] of [
      [first, zygote],
      [second, zygote],
      [first, second],
    ]) {
      assert.deepEqual(sharedMemory(p, q), []);
    }
    assert.equal(sharedMemory(first, process.pid).length, 1); // its mailbox
    for (const pid of [first, second]) {
      const paths = descriptorsOf(pid).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
      const known = /^(\/dev\/null|pipe:|socket:|anon_inode:\[event(fd|poll)\])/;
      const unknown = paths.filter((path) => !known.test(path));
      assert.deepEqual(unknown, []);
    }
  });

  test('of pitv itself shares what a table names', async (engine) => {
    const start = () => engine.start(jobUrl('count'), { sizes: countSizes });
    const [first, second] = await Promise.all([start(), start()]);
    await until(() => first.mailbox.tick > 2 && second.mailbox.tick > 2, 'they tick');
    const allowed = Object.keys(SHARED_BY_OWN);
    assert.deepEqual(sharedBy(first.pid, parentOf(first.pid)), allowed);
    assert.deepEqual(sharedBy(first.pid, second.pid), allowed);
  });

  test('that is locked ends with its zygote, and the TV starts another', async (engine) => {
    const worker = await engine.start(jobUrl('count'), { sizes: countSizes, lock });
    process.kill(parentOf(worker.pid), 'SIGKILL');
    assert.notEqual((await worker.exited).reason, 'stopped');
    const next = await engine.start(jobUrl('count'), { mailbox: worker.mailbox, lock });
    assert.ok(next.pid > 0);
  });
});

/** @returns {string | false} why descriptors cannot be compared */
function noKcmp() {
  return process.platform === 'linux' && process.getuid?.() === 0
    ? false
    : 'comparing descriptors of other processes needs root';
}
