/** Full rings, slow consumers, messages that are too long, memory limits, and workers that end at any time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ENGINES, poolFor, readyPoolFor } from './helpers.js';

const MIB = 1 << 20;
const LONG = 40 * MIB;
const TOO_LONG = 2 ** 30 + 8;
/** Long enough for every timer and poll of a worker that had some. */
const IDLE_MS = 500;
const KILLS = 40;

/** How often a process has gone to sleep so far. @param {number} pid */
const sleepsOf = (pid) =>
  /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];

/** Stops this thread for a moment. */
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);

/** Whether a process sleeps, such as one that waits for space in its ring. @param {number} pid */
const sleeps = (pid) => /\) S/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));

/**
 * Has a worker return a result that is longer than its ring, while this side reads nothing.
 * @param {import('../../app/pool/index.js').Pool} pool
 */
function startWriting(pool) {
  const words = new Int32Array(pool.allocate(4).buffer);
  const result = pool.run({ words, length: LONG }, { name: 'longAfterMark' });
  while (Atomics.load(words, 0) === 0) pause();
  return result;
}

for (const [name, engine] of Object.entries(ENGINES)) {
  const isThread = engine.engine === 'thread';
  const noArena = engine.addon === false && 'needs the addon';
  const noProcess = isThread && 'is for processes';
  describe(name, () => {
    test('a reader that stops gets the whole result later', { skip: noArena }, async (t) => {
      const { pool, pid } = await readyPoolFor(t, engine);
      const result = startWriting(pool);
      if (!isThread) while (!sleeps(pid)) pause();
      const { bytes } = await result;
      assert.equal(bytes.length, LONG);
      assert.equal(bytes[LONG - 1], LONG & 0xff);
    });

    test('a worker that dies in a write fails its task only', { skip: noProcess }, async (t) => {
      const { pool, pid } = await readyPoolFor(t, engine);
      const result = startWriting(pool);
      while (!sleeps(pid)) pause();
      process.kill(pid, 'SIGKILL');
      const waiting = [1, 2, 3].map((n) => pool.run(n));
      await assert.rejects(result, { code: 'PITV_TASK_CRASHED' });
      assert.deepEqual(await Promise.all(waiting), [1, 2, 3]);
    });

    test('a task behind a long one runs when its worker dies', { skip: noProcess }, async (t) => {
      const { pool, pid } = await readyPoolFor(t, engine);
      process.kill(pid, 'SIGSTOP');
      const [long, next] = [new Uint8Array(LONG), 'next'].map((task) => pool.run(task));
      process.kill(pid, 'SIGKILL');
      await assert.rejects(long, { code: 'PITV_TASK_CRASHED' });
      assert.equal(await next, 'next');
    });

    test('an idle worker does not wake up', { skip: noProcess }, async (t) => {
      const { pid } = await readyPoolFor(t, engine);
      while (!sleeps(pid)) pause();
      const before = sleepsOf(pid);
      await delay(IDLE_MS);
      assert.equal(sleepsOf(pid), before);
    });

    test('tasks wait for space in a full ring', { skip: noArena }, async (t) => {
      const pool = poolFor(t, { ...engine, concurrentTasksPerWorker: 32 });
      const words = new Int32Array(pool.allocate(8).buffer, 0, 2);
      const blocked = pool.run(words, { name: 'wait' });
      const tasks = Array.from({ length: 24 }, (_, i) => new Uint8Array(MIB).fill(i));
      const results = tasks.map((task) => pool.run(task));
      Atomics.store(words, 0, 1);
      assert.equal(await blocked, 'went on');
      for (const [i, result] of (await Promise.all(results)).entries()) {
        assert.equal(Buffer.compare(result, tasks[i]), 0, `task ${i}`);
      }
    });

    test('a task and a result that are too long reject', async (t) => {
      const filename = 'data:text/javascript,export default (length) => new Uint8Array(length)';
      const pool = poolFor(t, { ...engine, filename });
      await assert.rejects(pool.run(new Uint8Array(TOO_LONG)), { code: 'PITV_POOL_TOO_LARGE' });
      await assert.rejects(pool.run(TOO_LONG), { code: 'PITV_POOL_TOO_LARGE' });
      assert.equal((await pool.run(1)).length, 1);
    });

    test('more memory than there is cannot be allocated', { skip: noArena }, async (t) => {
      const pool = poolFor(t, engine);
      const kept = [];
      assert.throws(
        () => {
          for (;;) kept.push(pool.allocate(100 * MIB));
        },
        { code: 'PITV_POOL_MEMORY_FULL' },
      );
      const { bytes } = await pool.run(LONG, { name: 'large' });
      assert.equal(bytes.length, LONG);
      assert.ok(kept.length > 0);
    });

    test('a task that needs too much memory rejects', async (t) => {
      const limited = poolFor(t, { ...engine, memoryMb: 48 });
      await assert.rejects(limited.run(0, { name: 'fillHeap' }), { code: 'PITV_TASK_MEMORY' });
      assert.equal(await limited.run('next'), 'next');
    });

    test('what a task prints and throws does not look like too much memory', async (t) => {
      const pool = poolFor(t, engine);
      await assert.rejects(pool.run(0, { name: 'pretend' }), { code: 'PITV_TASK_EXITED' });
    });

    test(`${KILLS} workers are ended at any time; each task settles once, with the right result`, async (t) => {
      const pool = poolFor(t, { ...engine, minThreads: 2, maxThreads: 2, retries: 100 });
      let settled = 0;
      let running = true;
      const lane = async (/** @type {number} */ first) => {
        for (let i = first; running; i += 4) {
          const task = { i, bytes: new Uint8Array((i * 7919) % 20_000).fill(i) };
          assert.deepEqual(await pool.run(task), task);
          settled++;
        }
      };
      const lanes = [0, 1, 2, 3].map(lane);
      for (let kill = 0; kill < KILLS; kill++) {
        const goal = settled + ((kill * 31) % 97);
        while (settled < goal) await pool.run(0);
        const [victim] = pool.threads;
        if (victim.kill) victim.kill();
        else victim.terminate();
      }
      running = false;
      await Promise.all(lanes);
      assert.ok(settled > KILLS);
      assert.equal(pool.queueSize, 0);
    });
  });
}
