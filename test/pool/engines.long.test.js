/** Memory limits, and workers that end at any time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENGINES, TASKS, poolFor } from './helpers.js';

const KILLS = 40;

for (const [name, engine] of Object.entries(ENGINES)) {
  describe(name, () => {
    test('a task that needs too much memory rejects', async (t) => {
      const limited = poolFor(t, { ...engine, memoryMb: 48, filename: TASKS });
      await assert.rejects(limited.run(0, { name: 'fillHeap' }), { code: 'PITV_TASK_MEMORY' });
      assert.equal(await limited.run('next'), 'next');
    });

    test('what a task prints and throws does not look like too much memory', async (t) => {
      const pool = poolFor(t, { ...engine, filename: TASKS });
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
