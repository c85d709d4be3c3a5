/** Words the verdicts of the test of a game, one sentence or two each. */
import { boardFactors } from './boards.js';
import { findGrowth } from './compare.js';

/** @typedef {import('./result.js').Difference} Difference */
/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./runner.js').Outcome} Outcome */
/** @typedef {import('./runner.js').Problem} Problem */
/**
 * @typedef {(typeof NAMES)[number]} Name
 *
 * @typedef {object} Verdict
 * @property {Name} name @property {'pass' | 'fail' | 'skip'} verdict @property {string} sentence
 * @property {number} [seed] of the run in which it failed first
 * @property {number} [tick] of that run
 *
 * @typedef {{count: number, from?: {seed: number, tick: number}, problem?: Problem, difference?: Difference,
 *   where?: string}} Resumed count: of restored states; the rest describes the first one that went wrong
 *
 * @typedef {{same: string[], missing: {name: string, why: string}[], name?: string, problem?: Problem,
 *   difference?: Difference}} Compared same: engines that agree; name: the first one that does not
 */

const NAMES = /** @type {const} */ ([
  'plays',
  'frames',
  'deterministic',
  'checkpoints',
  'engines',
  'portable',
  'time',
  'memory',
]);
const TICK_MS = 1000 / 60;
const UNFINISHED = 'The runs were not played to their end.';
const DIFFERENT = 'Runs of this game cannot be compared: they differ by themselves.';

/** @param {Name} name @param {string} sentence @returns {Verdict} */
const pass = (name, sentence) => ({ name, verdict: 'pass', sentence });
/** @param {Name} name @param {string} sentence @returns {Verdict} */
const skip = (name, sentence) => ({ name, verdict: 'skip', sentence });
/** @param {Name} name @param {{seed: number, tick: number}} at @param {string} sentence @returns {Verdict} */
const fail = (name, { seed, tick }, sentence) => ({
  name,
  verdict: /** @type {const} */ ('fail'),
  sentence,
  ...(tick > 0 && { seed, tick }),
});

/** The place of a failure of all runs. */
const NOWHERE = Object.freeze({ seed: 0, tick: 0 });

/** @param {{seed: number, tick: number}} at */
const at = ({ seed, tick }) => `seed ${seed}, tick ${tick}`;
/** @param {number} value */
const count = (value) => value.toLocaleString('en-US');

/** The verdicts on a game that does not get to the end of its runs. @param {Problem} problem @returns {Verdict[]} */
export function notPlayed(problem) {
  const name = problem.sort === 'out-of-memory' ? 'memory' : 'plays';
  return NAMES.map((each) =>
    each === name ? fail(name, problem, describe(problem)) : skip(each, UNFINISHED),
  );
}

/** @param {Problem} problem */
function describe({ exact, sentence, ...where }) {
  if (where.tick === 0) return sentence;
  return `${exact ? 'At' : 'Soon after'} ${at(where)}: ${sentence}`;
}

/** @param {Result} result @param {number} planned ticks of each run @returns {Verdict} */
export function plays({ ended, joins, ticks }, planned) {
  const players = `${count(joins)} players joined and left`;
  if (ended > 0) return pass('plays', `${players}; ${count(ended)} matches ended.`);
  const advice =
    ticks < planned
      ? 'The runs were cut because their ticks take long.'
      : 'Does a round call flow.endRound(true)? If matches are longer, play more --ticks.';
  const sentence = `${players}, but no match ended within ${count(ticks)} ticks, so the end of a match was not tested.`;
  return skip('plays', `${sentence} ${advice}`);
}

/** @param {Result} result @returns {Verdict} */
export function frames({ faults, frameBytes, bodies }) {
  const [first] = faults;
  if (first) return fail('frames', first, `At ${at(first)}: ${first.sentence}`);
  const sizes = `${count(frameBytes)} bytes and ${count(bodies)} bodies`;
  return pass('frames', `All can be drawn; the longest has ${sizes} at most.`);
}

/** What to use instead. */
const INSTEAD = Object.freeze({
  random: 'Use world.random().',
  clock: 'Count ticks instead, such as flow.phaseTicks.',
  async: 'Do everything within the tick. To wait, count ticks, such as flow.phaseTicks.',
  inexact: 'Use sin256(), cos256() and atan256(), or + - * / and Math.sqrt().',
});

/**
 * @param {Result} watched of a process in which all runs were repeated
 * @param {Outcome} measured the same runs in another process
 * @param {Difference | undefined} other first difference between the two
 */
export function deterministic({ calls, repeat }, measured, other) {
  const name = 'deterministic';
  const call = calls.find(({ sort, tick }) => sort !== 'inexact' && tick > 0);
  if (call) {
    const does = call.sort === 'async' ? 'is used' : 'is called';
    const sentence = `${call.call} ${does} at ${at(call)} (${call.place}), so matches cannot be repeated.`;
    return fail(name, call, `${sentence} ${INSTEAD[call.sort]}`);
  }
  if (measured.problem && measured.problem.sort !== 'out-of-memory') {
    return fail(name, measured.problem, `Only when it is repeated: ${describe(measured.problem)}`);
  }
  if (other) {
    const [imported] = calls.filter(({ sort }) => sort !== 'inexact');
    const hint = imported
      ? `${imported.call} is used when the module is imported (${imported.place}).`
      : 'What does the game use that is not in its world?';
    return fail(name, other, `${repeated(other)} in a new process. ${hint}`);
  }
  if (repeat) {
    const hint =
      'A variable of the module keeps what an earlier match has left; use flow.own instead.';
    return fail(name, repeat, `${repeated(repeat)} in the same process. ${hint}`);
  }
  return pass(name, 'The same seed and inputs give the same state and frame in each tick.');
}

/** @param {Difference} difference */
const changed = ({ part, ...where }) => `The ${part} of ${at(where)} is another one`;
/** @param {Difference} difference */
const repeated = (difference) => `${changed(difference)} when the run is repeated`;

/** A verdict that needs two equal runs. @param {Name} name @param {Outcome} measured @returns {Verdict} */
export const unstable = (name, { problem }) => skip(name, problem ? UNFINISHED : DIFFERENT);

/** @param {Resumed} resumed @returns {Verdict} */
export function checkpoints({ count: saves, from, problem, difference, where }) {
  const name = 'checkpoints';
  if (saves === 0) return skip(name, UNFINISHED);
  const restored = `${saves} states were restored in new processes, and went on as the match did.`;
  if (!from) return pass(name, restored);
  const begin = `Saved at ${at(from)}, and restored in a new process,`;
  if (problem) return fail(name, from, `${begin} it does not go on: ${describe(problem)}`);
  const what =
    difference?.part === 'frame'
      ? 'has the same state but another frame: fillExtra() or decorate() use something that is not in the state.'
      : `differs${where ? ` in ${where}` : ''}. What changes must be in the world or in flow.own; variables of the module are not saved.`;
  return fail(name, from, `${begin} tick ${difference?.tick ?? 0} ${what}`);
}

/** @param {Compared} compared @returns {Verdict} */
export function engines({ same, missing, name, problem, difference }) {
  const untried = missing.map((each) => ` Not tried: ${each.name} (${each.why}).`).join('');
  if (problem) return fail('engines', problem, `On the engine ${name}: ${describe(problem)}`);
  if (difference) {
    const sentence = `${changed(difference)} on the engine ${name} than on ${same[0]}.`;
    return fail('engines', difference, sentence);
  }
  if (same.length < 2) return skip('engines', `Only ${same[0]} can run it.${untried}`);
  return pass('engines', `Every tick is the same on ${same.join(', ')}.${untried}`);
}

/** @param {Result} result @returns {Verdict} */
export function portable({ calls }) {
  const call = calls.find(({ sort }) => sort === 'inexact');
  const none =
    'No function was called whose result may differ between machines, such as Math.sin().';
  if (!call) return pass('portable', none);
  const when = call.tick > 0 ? `at ${at(call)}` : 'when the module is imported';
  const sentence = `${call.call} is called ${when} (${call.place}); its result may differ between machines.`;
  return fail('portable', call, `${sentence} ${INSTEAD.inexact}`);
}

/**
 * @param {Outcome} measured @param {number} stepMs measureStepMs() of this machine
 * @param {string} board name of the slowest board that the game is for
 * @returns {Verdict}
 */
export function time({ result }, stepMs, board) {
  if (!result?.stepMs) return skip('time', UNFINISHED);
  const { p99, max } = result.stepMs;
  const boards = boardFactors(stepMs);
  const estimates = boards.map(({ title, factor }) => `${ms(p99 * factor)} on a ${title}`);
  const sentence = `99 % of the ticks take up to ${ms(p99)} ms here (longest ${ms(max)}), which is about ${estimates.join(', ')}. A tick has ${ms(TICK_MS)} ms.`;
  const slowest = boards.find(({ name }) => name === board) ?? boards[0];
  if (p99 * slowest.factor <= TICK_MS) return pass('time', sentence);
  return fail('time', NOWHERE, `Too slow for a ${slowest.title}: ${sentence}`);
}

/** @param {number} value ms */
const ms = (value) => (value < 10 ? value.toPrecision(2) : value.toFixed(value < 100 ? 1 : 0));

/** @param {Outcome} measured @returns {Verdict} */
export function memory({ result, problem }) {
  if (problem?.sort === 'out-of-memory') return fail('memory', problem, describe(problem));
  if (!result) return skip('memory', UNFINISHED);
  const growth = findGrowth(result.heap);
  const few = 'Too few measurements: the engine process is missing, or the runs were cut.';
  if (!growth) return skip('memory', few);
  const { bytes, ticks, grows } = growth;
  const over = `in ${count(ticks)} ticks`;
  if (!grows) return pass('memory', `The heap does not grow ${over}.`);
  const sentence = `The heap grows by ${count(Math.round(bytes / 1024))} KiB ${over}, ${count(Math.round(bytes / ticks))} bytes a tick. Does a variable of the module collect something?`;
  return fail('memory', NOWHERE, sentence);
}
