/** The same work three times; once with a tenth more of it. */
import { randomWord, seedRandom } from '../../../app/game/rng.js';

const WORDS = 2_000_000;
const SLOWER_WORDS = 2_200_000;
/** Before it counts: V8 has compiled the loop by then. */
const WARM_WORDS = 300_000;
/** The least of so many counts: whatever else runs on this machine can only add to it. */
const TIMES = 3;

/** @param {number} words */
function work(words) {
  const state = new Uint32Array(4);
  seedRandom(state, 0, 1);
  let sum = 0;
  for (let i = 0; i < words; i++) sum = (sum + randomWord(state, 0)) >>> 0;
  return sum;
}

/** @param {number} words @returns {number} ms of CPU */
function cpuOf(words) {
  const before = process.cpuUsage();
  work(words);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** @type {import('../../../bench/harness/scenarios.js').Scenario} */
export default {
  name: 'slow',
  title: 'For tests: a planted slowdown of 10 %',
  reference: 'before',
  metrics: [{ name: 'cpu', unit: 'ms' }],
  configurations: () => [{ variant: 'before' }, { variant: 'same' }, { variant: 'slower' }],
  async sample({ variant }) {
    work(WARM_WORDS);
    const words = variant === 'slower' ? SLOWER_WORDS : WORDS;
    const cpu = Math.min(...Array.from({ length: TIMES }, () => cpuOf(words)));
    return { metrics: { cpu } };
  },
};
