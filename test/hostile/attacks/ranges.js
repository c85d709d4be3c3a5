/** Requests for thousands of ranges of a file, and for ranges that cannot be. */
import { request } from '../support/wire.js';

const FILE = '/lib/renderer.js';
const RANGES = [
  `bytes=${Array.from({ length: 1000 }, (_, i) => `${i}-`).join()}`,
  `bytes=${'0-0,'.repeat(2000)}1-1`,
  'bytes=0-99999999999999999999',
  'bytes=-99999999999999999999',
  'bytes=99999999999-',
  'bytes=5-1',
  'bytes=-0',
  'bytes=0-,0-,0-,0-,0-',
  'lines=1-2',
  `bytes=${'-'.repeat(5000)}`,
];

/** @type {import('../support/attacker.js').Attack} */
export default {
  name: 'ranges',
  bounds: { seconds: 3, bytes: 40_000_000 },
  async run({ tv, crowd, ask, repeat, signal }) {
    const whole = await ask(request(tv, FILE));
    await crowd(10, (i) =>
      repeat(async (turn) => {
        const range = RANGES[(i + turn) % RANGES.length];
        const answer = await ask(request(tv, FILE, { headers: `Range: ${range}\r\n` }));
        if (!signal.aborted && answer.length > whole.length + 500) {
          throw new Error(`${answer.length} bytes for the range ${range.slice(0, 50)}`);
        }
      }),
    );
  },
};
