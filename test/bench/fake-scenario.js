/** A scenario for the harness's own tests: says what happened to it. */

/** @type {import('../../bench/harness/scenarios.js').Scenario} */
export default {
  name: 'fake',
  title: 'For tests',
  metrics: [
    { name: 'time', unit: 'ms' },
    { name: 'size', unit: 'KiB' },
  ],
  reference: 'good',
  timeoutMs: 4000,
  configurations: ({ quick }) => [
    { variant: 'good', n: 10 },
    { variant: 'slow', n: 10, engine: 'thread', workers: 2 },
    ...(quick ? [] : [{ variant: 'throws', n: 10 }]),
    ...(process.env.FAKE_HANGS ? [{ variant: 'hangs' }] : []),
  ],
  async sample({ variant }, { round }) {
    console.log('a scenario may print');
    if (variant === 'throws') throw new TypeError('planted');
    if (variant === 'hangs') for (;;);
    const time = (variant === 'slow' ? 40 : 10) + [0, 2, 1][round % 3];
    return { metrics: { time, size: 7 }, facts: { pid: process.pid, at: Date.now() } };
  },
  notes: (samples) => [JSON.stringify(samples)],
};
