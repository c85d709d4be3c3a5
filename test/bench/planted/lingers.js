/** A sample that never ends, deaf to requests, and that has a worker which is no better. */
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('deaf.js', import.meta.url));

/** @type {import('../../../bench/harness/scenarios.js').Scenario} */
export default {
  name: 'lingers',
  title: 'For tests: what does not end by itself',
  metrics: [{ name: 'none', unit: '' }],
  configurations: () => [{ variant: 'lingers' }],
  async sample(_, { workDir }) {
    process.on('SIGTERM', () => {});
    const worker = fork(WORKER);
    worker.once('message', () => writeFileSync(join(workDir, 'worker-runs'), ''));
    return new Promise(() => setInterval(() => {}, 1000));
  },
};
