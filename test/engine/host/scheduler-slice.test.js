import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { release } from 'node:os';
import { test } from 'node:test';
import { createEngine } from '../../../app/engine/index.js';

const JOB = new URL('../../../app/engine/worker/rehearsal-job.js', import.meta.url);
const SIZES = { inputSlots: 1, frameBytes: 64, checkpointBytes: 64 };

/** @param {string} thread folder in /proc @returns {number} its scheduler slice, ns */
const sliceOf = (thread) =>
  Number(/^se\.slice\s*:\s*(\d+)$/m.exec(readFileSync(`${thread}/sched`, 'latin1'))?.[1]);

const [major, minor] = release().split('.').map(Number);
const supported = major > 6 || (major === 6 && minor >= 12);
const readable = existsSync('/proc/self/sched') && sliceOf('/proc/self') > 0;

for (const name of ['thread', 'process', 'zygote']) {
  test(
    `the main thread has shorter slices than a worker (${name})`,
    { skip: !(supported && readable) && 'needs Linux 6.12 with /proc/PID/sched' },
    async (t) => {
      const engine = await createEngine(name, { modules: [JOB] });
      t.after(() => engine.close());
      const worker = await engine.start(JOB, { sizes: SIZES, options: { ticks: 1e9 } });
      const main = sliceOf(`/proc/self/task/${process.pid}`);
      const tasks = `/proc/${worker.pid}/task`;
      const others = readdirSync(tasks).filter((thread) => thread !== String(process.pid));
      assert.ok(others.length > 0);
      for (const thread of others) {
        const other = sliceOf(`${tasks}/${thread}`);
        assert.ok(main < other, `${main} ns, thread ${thread} of the worker ${other}`);
      }
    },
  );
}
