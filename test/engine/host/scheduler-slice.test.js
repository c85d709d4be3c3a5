import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { release } from 'node:os';
import { describe } from 'node:test';
import { ENGINES_UNDER_TEST, countSizes as sizes, engineTests, jobUrl } from '../helpers.js';

/** @param {string} thread folder in /proc @returns {number} its scheduler slice, ns */
const sliceOf = (thread) =>
  Number(/^se\.slice\s*:\s*(\d+)$/m.exec(readFileSync(`${thread}/sched`, 'latin1'))?.[1]);

const [major, minor] = release().split('.').map(Number);
const supported = major > 6 || (major === 6 && minor >= 12);
const readable = existsSync('/proc/self/sched') && sliceOf('/proc/self') > 0;
const skip = !(supported && readable) && 'needs Linux 6.12 with /proc/PID/sched';

describe('the main thread has shorter slices than a worker', { skip }, () => {
  for (const name of ENGINES_UNDER_TEST) {
    engineTests(name)(name, async (engine) => {
      const worker = await engine.start(jobUrl('count'), { sizes });
      const main = sliceOf(`/proc/self/task/${process.pid}`);
      const tasks = `/proc/${worker.pid}/task`;
      const others = readdirSync(tasks).filter((thread) => thread !== String(process.pid));
      assert.ok(others.length > 0);
      for (const thread of others) {
        const other = sliceOf(`${tasks}/${thread}`);
        assert.ok(main < other, `${main} ns, thread ${thread} of the worker ${other}`);
      }
    });
  }
});
