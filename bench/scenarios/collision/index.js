/**
 * Finds all overlapping pairs of n moving circles, about one pair per body. Compares pitv's kernel with libraries and
 * with the same algorithm in C: `c` uses the compiler options of the WebAssembly kernel, and `c-native` is compiled for
 * this processor. There are three kinds of clouds (see cloud.js), because a grid favours equal circles that are spread
 * evenly.
 */
import { mean } from 'simple-statistics';
import { findInRound } from '../../harness/scenarios.js';
import { groupBy } from '../../report/text.js';
import { CLOUDS, makeCloud } from './cloud.js';
import { VARIANTS } from './libraries.js';
import { FLAGS, compiler, wasmCompiler } from './native-kernel.js';

/** Numbers of bodies of uniform clouds, and of the others. */
const SIZES = [1000, 5000, 20_000];
const SIZES_OF_OTHERS = [5000];
/** Number of frames over which the pairs are counted and compared. */
const CHECKED_FRAMES = 20;
/** Slow variants exceed the durations of the phases to complete this many frames. */
const MIN_FRAMES = 3;

/** Why a variant may find different pairs. */
const REASONS = /** @type {Record<string, string>} */ ({
  'rapier-simd': 'it computes in float32',
  'matter-js': 'its circles are polygons',
  'c-native': 'it may fuse multiplication and addition',
});

/**
 * Repeats a frame for a time.
 * @param {number} milliseconds @param {() => number} frame @returns {number} frames done
 */
function runFor(milliseconds, frame) {
  const end = performance.now() + milliseconds;
  let frames = 0;
  while (frames < MIN_FRAMES || performance.now() < end) {
    frame();
    frames++;
  }
  return frames;
}

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'collision',
  title: 'All overlapping pairs of n moving circles, CPU time per frame',
  metrics: [{ name: 'frame', unit: 'ms' }],
  reference: 'pitv',

  configurations: () =>
    CLOUDS.flatMap((level) =>
      (level === 'uniform' ? SIZES : SIZES_OF_OTHERS).flatMap((n) =>
        Object.keys(VARIANTS).map((variant) => ({ variant, level, n })),
      ),
    ),

  // warm: until the code is compiled
  phases: { warm: [600, 400], measure: [300, 150] },

  async sample({ variant, level, n }, { round, phases }) {
    const kind = CLOUDS.find((one) => one === level) ?? 'uniform';
    const frame = await VARIANTS[variant](makeCloud(Number(n), round + 1, kind));
    let pairs = 0;
    for (let i = 0; i < CHECKED_FRAMES; i++) pairs += frame();
    runFor(phases.warm, frame);
    const before = process.cpuUsage();
    const frames = runFor(phases.measure, frame);
    const { user, system } = process.cpuUsage(before);
    const isNative = Object.hasOwn(FLAGS, variant);
    return {
      metrics: { frame: (user + system) / 1000 / frames },
      facts: { pairs, ...(isNative && { compiler: compiler().version }) },
    };
  },

  notes(samples) {
    const compilers = new Set(samples.flatMap(({ facts }) => facts.compiler ?? []));
    const flags = Object.entries(FLAGS).map(([name, options]) => `${name}: ${options.join(' ')}`);
    return [
      ...[...compilers].map((version) => {
        const wasm = wasmCompiler() ?? 'unknown';
        return `collision: C is compiled by ${version} (${flags.join('; ')}); the WebAssembly kernel by clang ${wasm} -O3 -msimd128.`;
      }),
      ...pairNotes(samples),
    ];
  },
};

/**
 * Lists the variants that do not find the same pairs as pitv.
 * @param {import('../../harness/scenarios.js').Sample[]} samples
 */
function pairNotes(samples) {
  const different = samples.flatMap((sample) => {
    const { variant, level, n } = sample.configuration;
    const pitv = findInRound(samples, sample, { variant: 'pitv', level, n });
    const share = pitv ? sample.facts.pairs / pitv.facts.pairs - 1 : 0;
    return share === 0 ? [] : [{ variant, where: `${level}, n = ${n}: ${variant}`, share }];
  });
  return [...groupBy(different, ({ where }) => where)].map(([where, some]) => {
    const percent = Number((mean(some.map(({ share }) => share)) * 100).toPrecision(2));
    const why = REASONS[some[0].variant] ?? 'WRONG: it must find the same pairs';
    return `collision, ${where} finds ${percent < 0 ? '' : '+'}${percent} % pairs (${why})`;
  });
}
