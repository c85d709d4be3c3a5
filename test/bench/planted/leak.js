/** Two workers; in one variant each of them keeps 1 MB for itself that it does not need. */
import { createEngine } from '../../../app/engine/index.js';
import { memoryOf } from '../../../bench/machine/proc.js';

const WORKERS = 2;
const LEAK_BYTES = 1024 * 1024;
const JOB = new URL('leaky-job.js', import.meta.url);

/** @type {import('../../../bench/harness/scenarios.js').Scenario} */
export default {
  name: 'leak',
  title: 'For tests: a planted leak of 1 MB a worker',
  timeoutMs: 20_000,
  reference: 'tight',
  metrics: [{ name: 'uss', unit: 'KiB' }],
  configurations: () => [{ variant: 'tight' }, { variant: 'tight again' }, { variant: 'leaky' }],
  async sample({ variant }) {
    const engine = await createEngine('process');
    const sizes = { inputSlots: 1, frameBytes: 0, checkpointBytes: 0 };
    const options = { bytes: variant === 'leaky' ? LEAK_BYTES : 0 };
    const starting = Array.from({ length: WORKERS }, () => engine.start(JOB, { sizes, options }));
    const workers = await Promise.all(starting);
    const { uss } = memoryOf(workers.map(({ pid }) => pid));
    await engine.close();
    return { metrics: { uss } };
  },
};
