/** Tests a game: plays it with random players on every engine, and gives verdicts. */
import { PitvError } from '../errors.js';
import { readForeignGames } from '../packages/foreign-games.js';
import { measureStepMs } from './boards.js';
import { firstDifference, nameDifferences } from './compare.js';
import { Runner } from './runner.js';
import * as verdicts from './verdicts.js';

/** How often each run is measured. A tick's time is the shortest of them, so other work of the machine hardly shows. */
const MEASURED_PASSES = 3;
/** Saved states of each run, and the most bytes of all. */
const SAVES_PER_SEED = 2;
const MAX_SAVED_BYTES = 8 * 1024 * 1024;
/** Ticks that are compared after a restore. */
const RESUMED_TICKS = 300;

/** @typedef {import('./runner.js').Problem} Problem */
/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./result.js').Saved} Saved */
/** @typedef {import('./verdicts.js').Resumed} Resumed */
/** @typedef {import('./verdicts.js').Verdict} Verdict */

/**
 * @typedef {object} Plan
 * @property {import('../packages/game-reader.js').GameFile} file
 * @property {number[]} seeds one run each, uint32
 * @property {number} ticks of each run, 60..100,000
 * @property {string} board name of the slowest board that the game is for; see boards.js
 * @property {import('../packages/catalog.js').UntrustedGames} [untrusted]
 * @property {string[]} [engines] that are tried; all by default
 *
 * @typedef {Awaited<ReturnType<typeof testGame>>} Report
 */

/**
 * Tests a game. The report has the ticks of each run, fewer than planned for a game whose ticks take long, and the
 * lines that the game has written in the first run of each seed.
 * @param {Plan} plan
 * @throws {PitvError} PITV_GAME_INVALID if it cannot be loaded; PITV_LOCK_UNSUPPORTED, PITV_ENGINE_UNSUPPORTED
 */
export async function testGame(plan) {
  const [game] = await readForeignGames([plan.file], plan.untrusted);
  if (game instanceof PitvError) throw game;
  const runner = new Runner(game);
  await runner.open(plan.engines);
  try {
    const { ticks, list } = await new GameTest(runner, plan, game).run();
    const passed = list.every(({ verdict }) => verdict !== 'fail');
    const { lines, more } = runner.output;
    const output = more > 0 ? [...lines, `(${more} more lines)`] : lines;
    return { id: game.id, passed, seeds: plan.seeds, ticks, verdicts: list, output };
  } finally {
    await runner.close();
  }
}

class GameTest {
  #runner;
  #plan;
  #reference;
  #game;

  /** @param {Runner} runner @param {Plan} plan @param {import('../packages/foreign-games.js').ForeignGame} game */
  constructor(runner, plan, game) {
    this.#runner = runner;
    this.#plan = plan;
    this.#reference = runner.engines[0];
    this.#game = game;
  }

  /** @returns {Promise<{ticks: number, list: Verdict[]}>} */
  async run() {
    const { seeds, ticks, board } = this.#plan;
    const options = { seeds, ticks, passes: 2, watch: true, save: this.#saves(ticks) };
    const watched = await this.#runner.run(this.#reference, options);
    if (watched.problem) {
      const list = verdicts.notPlayed(await this.#locate(watched.problem));
      return { ticks, list };
    }
    const { result } = watched;
    const measured = await this.#runner.run(this.#reference, {
      seeds,
      ticks: result.ticks,
      passes: MEASURED_PASSES,
      measure: true,
    });
    const stepMs = measureStepMs();
    const other = measured.result && firstDifference(seeds, result, measured.result);
    const stable = measured.result !== undefined && other === undefined;
    const list = [
      verdicts.plays(result, ticks),
      verdicts.frames(result),
      verdicts.deterministic(result, measured, other),
      stable
        ? verdicts.checkpoints(await this.#resume(result))
        : verdicts.unstable('checkpoints', measured),
      stable
        ? verdicts.engines(await this.#compareEngines(result))
        : verdicts.unstable('engines', measured),
      verdicts.portable(result),
      verdicts.time(measured, stepMs, board),
      verdicts.memory(measured),
    ];
    return { ticks: result.ticks, list };
  }

  /** Chooses the ticks whose states are saved, by seed and length only. @param {number} ticks of each run */
  #saves(ticks) {
    const { seeds } = this.#plan;
    const bytes = seeds.length * SAVES_PER_SEED * this.#game.sizes().checkpointBytes;
    const perSeed = bytes > MAX_SAVED_BYTES ? 1 : SAVES_PER_SEED;
    return seeds.flatMap((seed) =>
      Array.from({ length: perSeed }, (_, i) => {
        const part = (i + 0.5 + ((seed % 7) - 3) / 14) / perSeed; // spread over the run
        return { seed, tick: Math.max(1, Math.floor(part * ticks * 0.9)) };
      }),
    );
  }

  /** Finds the exact tick in which a game hangs, and the line. @param {Problem} problem @returns {Promise<Problem>} */
  async #locate(problem) {
    if (problem.sort !== 'hung') return problem;
    const { seed, tick } = problem;
    const { ticks } = this.#plan;
    const options = { seeds: [seed], ticks, passes: 1, singleFrom: tick };
    const { problem: again } = await this.#runner.run(this.#reference, options);
    if (again?.sort !== 'hung') return problem;
    const exact = { ...again, tick: again.tick + 1, exact: true };
    const place = await this.#runner.findLoop(seed, exact.tick);
    return place ? { ...exact, sentence: `${exact.sentence} (${place})` } : exact;
  }

  /** Restores each saved state in a new process, and plays on. @param {Result} result @returns {Promise<Resumed>} */
  async #resume({ saved: planned, hashes, ticks }) {
    const { seeds } = this.#plan;
    let saved = planned;
    if (saved.length === 0) {
      // The runs are shorter than planned.
      const options = { seeds, ticks, passes: 1, save: this.#saves(ticks) };
      saved = (await this.#runner.run(this.#reference, options)).result?.saved ?? [];
    }
    // A fork starts fastest; whether engines differ is another verdict.
    const name = this.#runner.engines.includes('zygote') ? 'zygote' : this.#reference;
    for (const from of saved) {
      const end = Math.min(ticks, from.tick + RESUMED_TICKS);
      const options = { seeds: [from.seed], ticks: end, passes: 1, from };
      const outcome = await this.#runner.run(name, options);
      if (outcome.problem) return { count: saved.length, from, problem: outcome.problem };
      const expected = hashes[seeds.indexOf(from.seed)];
      const reference = { ticks: end, hashes: [expected] };
      const difference = firstDifference([from.seed], reference, outcome.result, from.tick + 1);
      if (!difference) continue;
      const where = await this.#describe(name, from, difference);
      return { count: saved.length, from, difference, where };
    }
    return { count: saved.length };
  }

  /**
   * Names what differs after a restore, by playing both runs to the tick.
   * @param {string} name of the engine @param {Saved} from @param {import('./result.js').Difference} difference
   */
  async #describe(name, from, { seed, tick, part }) {
    if (part === 'frame') return undefined;
    const options = { seeds: [seed], ticks: tick, passes: 1, save: [{ seed, tick }] };
    const whole = await this.#runner.run(name, options);
    const resumed = await this.#runner.run(name, { ...options, from });
    const [expected] = whole.result?.saved ?? [];
    const [found] = resumed.result?.saved ?? [];
    if (!expected || !found) return undefined;
    return nameDifferences(whole.result?.fields ?? [], expected.bytes, found.bytes);
  }

  /** Plays all runs on the other engines. @param {Result} result */
  async #compareEngines(result) {
    const { seeds } = this.#plan;
    const [reference, ...others] = this.#runner.engines;
    const missing = [...this.#runner.missing].map(([name, why]) => ({ name, why }));
    const same = [reference];
    for (const name of others) {
      const outcome = await this.#runner.run(name, { seeds, ticks: result.ticks, passes: 1 });
      const { problem } = outcome;
      const difference = outcome.result && firstDifference(seeds, result, outcome.result);
      if (problem || difference) return { same, missing, name, problem, difference };
      same.push(name);
    }
    return { same, missing };
  }
}
