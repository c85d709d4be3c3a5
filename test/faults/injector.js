/** Injects faults into a `pitv serve` with several matches, and measures the effect on the clients. */
import { setTimeout as delay } from 'node:timers/promises';
import { seededIndex } from '../../bench/stats/stats.js';
import { PlayedMatch } from '../support/played-match.js';
import { removeFakeTimeFiles } from '../support/faketime.js';
import { now, poll } from '../support/polling.js';
import { excess, isAlive } from '../support/serve.js';
import { TvUnderTest } from '../support/tv-under-test.js';
import { KINDS, Means, plan } from './kinds.js';

const GAMES = ['bumper', 'swarm'];
const LANES = 3;
/** The limits of app/match/match.js and app/storage/persistence.js leave room for this many. */
const MATCH_FAULTS = 2;
const POLL_MS = 5;
/** A match that is not back after this time is lost. */
const LOST_MS = 20_000;
/** How long the other matches are watched after the match is back. */
const WATCH_MS = 150;
/** The time for the next checkpoint, and for descriptors and processes of a fault to be closed. */
const SETTLE_MS = 10_000;
/** The time for a zygote to be warmed up on a machine with other work. */
const WARM_MS = 90_000;
/** The time for a spare child to be forked before the baseline is taken. */
const BASELINE_MS = 500;

/**
 * @typedef {object} FaultResult
 * @property {number} number from 1
 * @property {string} kind
 * @property {number} backMs Infinity: not at all
 * @property {number} gapTicks most ticks in a row that another match missed
 * @property {number | undefined} goneMs if the main process was killed: time until all of its processes had ended
 * @property {number} leaked descriptors, processes and shared memory more than before the first fault
 * @property {string[]} wrong what else went wrong
 *
 * @typedef {Awaited<ReturnType<typeof runFaults>>} RunResult
 */

/** One of the matches that are played while faults are injected, with a pad and a screen. */
class Lane extends PlayedMatch {
  /** The TV gives up a match after three failures in a minute, and after three restarts of the TV in a row. */
  faults = 0;

  /** @param {TvUnderTest} serve @param {number} number */
  constructor(serve, number) {
    super(serve, [`Lane ${number}`], (pad) => pad.push(number));
  }

  /** @override @param {string} game */
  async play(game) {
    await super.play(game);
    this.faults = 0;
  }

  /**
   * @param {'restart' | 'connected'} sign the event by which the client notices the fault
   * @returns {number | undefined} time of the second advancing frame after it, ms
   */
  backAt(sign) {
    const from = this.events.findLastIndex(({ kind }) => kind === sign);
    if (from < 0) return undefined;
    const frames = this.events.slice(from).filter(({ kind }) => kind === 'frame');
    return frames.find(({ tick }, i) => i > 0 && tick > frames[i - 1].tick)?.at;
  }
}

class Run {
  /** @type {Lane[]} */
  lanes = [];
  /** What the current main process held before its first fault. @type {Record<string, number> | undefined} */
  #baseline;

  /** @param {{seed: number, engine: string}} options */
  constructor({ seed, engine }) {
    this.engine = engine;
    this.random = seededIndex(seed);
    this.means = new Means();
    // By default, a TV that starts on a busy machine takes longer to call a match hung.
    const args = ['--engine', engine, '--hang-ms', '600', '--max-matches', '8'];
    const { dataDir, env, missing } = this.means;
    this.serve = new TvUnderTest({
      dataDir,
      args: [...args, '--checkpoint-seconds', '1'],
      env,
      controllers: ['pids', 'memory'],
    });
    for (const name of /** @type {const} */ (['pids', 'memory'])) {
      if (!this.serve.groups.has(name)) missing[name] = `no control group of ${name}`;
    }
  }

  async open() {
    await this.serve.start();
    for (let i = 0; i < LANES; i++) {
      const lane = new Lane(this.serve, i);
      this.lanes.push(lane);
      lane.open();
      await this.#prepare(lane); // one by one: a new match takes all idle players
    }
  }

  /** Gives a lane a new match. @param {Lane} lane */
  async #prepare(lane) {
    await lane.play(GAMES[this.random(GAMES.length)]);
    const saved = async () => (await this.means.checkpointedAt(lane.match)) > 0;
    if (await poll(saved, SETTLE_MS, POLL_MS)) return;
    throw new Error(`match ${lane.match} has no checkpoint: ${JSON.stringify(lane.state)}`);
  }

  /** Whether the TV has all its processes. A zygote is warmed up for seconds after a start. */
  get #isSettled() {
    return this.engine !== 'zygote' || this.serve.zygoteSettled;
  }

  /** Counts what the TV holds. */
  #held() {
    return { ...this.serve.held, processes: this.serve.processes().length };
  }

  /** Takes the baseline of a main process before its first fault. */
  async #takeBaseline() {
    if (this.#baseline) return;
    await poll(() => this.#isSettled, WARM_MS);
    await delay(BASELINE_MS);
    this.#baseline = this.#held();
  }

  /**
   * Waits until the TV holds no more than at first.
   * @param {string[]} wrong gets a sentence about a leak
   * @returns {Promise<number>} the excess; 0 before the TV has settled, because a later fault finds a leak
   */
  async #findLeak(wrong) {
    const baseline = this.#baseline;
    if (!baseline) return 0;
    const isFreed = () => !this.#isSettled || excess(this.#held(), baseline) === 0;
    if (await poll(isFreed, SETTLE_MS)) return 0;
    const held = this.#held();
    if (excess(held, baseline) === 0) return 0;
    this.#baseline = held; // otherwise every later fault would report it too
    wrong.push(`held before ${JSON.stringify(baseline)}, now ${JSON.stringify(held)}`);
    return excess(held, baseline);
  }

  /**
   * Injects one fault and measures it.
   * @param {import('./kinds.js').Kind} kind @param {number} number @returns {Promise<FaultResult>}
   */
  async fault(kind, number) {
    const { lanes, serve, means, random } = this;
    const victim = lanes[random(lanes.length)];
    const all = kind.hits === 'all';
    const hit = all ? lanes : [victim];
    for (const lane of lanes) {
      const isWorn = hit.includes(lane) && lane.faults + kind.failures > MATCH_FAULTS;
      if (isWorn || lane.match === 0) await this.#prepare(lane);
      await lane.untilPlayed();
    }
    await delay(random(250)); // anywhere between two checkpoints
    if (!all) await this.#takeBaseline();

    const pids = all ? serve.processes() : [];
    const oldErrors = serve.errors.length;
    /** @type {string[]} */
    const wrong = [];
    for (const lane of lanes) lane.begin();
    const began = now();
    const target = { serve, means, victim, random };
    const injected = kind
      .inject(target)
      .catch((error) => void wrong.push(`the fault could not be injected: ${error.message}`));
    let hitAt = began;
    let goneMs;
    /** @type {Promise<unknown>} */
    let restarted = injected;
    if (all) {
      restarted = injected.then(async () => {
        hitAt = now();
        await serve.ended();
        const gone = poll(() => !pids.some(isAlive), LOST_MS, POLL_MS).then((done) => {
          goneMs = done ? now() - hitAt : Infinity;
        });
        this.#baseline = undefined;
        await Promise.all([gone, serve.start()]);
      });
    } else if (kind.name.startsWith('disk')) {
      void injected.then(() => (hitAt = now())); // such a fault hits at its end
    }
    const sign = all ? 'connected' : 'restart';
    const isBack = () => hit.every((lane) => lane.backAt(sign) !== undefined);
    const lost = () => lanes.some((lane) => lane.has('ended'));
    const back = (await poll(() => isBack() || lost(), LOST_MS, POLL_MS)) && isBack();
    await restarted;
    const backAt = back ? Math.max(...hit.map((lane) => lane.backAt(sign) ?? Infinity)) : Infinity;
    if (!back) {
      const states = hit.map((lane) => JSON.stringify(lane.state));
      wrong.push(`${lost() ? 'a match ended' : 'a match did not come back'}: ${states.join(' ')}`);
    }
    await kind.lift?.(target);
    await delay(WATCH_MS);
    const others = all ? [] : lanes.filter((lane) => lane !== victim);
    const gaps = others.map((lane) => lane.longestGap(began).ticks);
    if (others.some((lane) => lane.has('restart'))) wrong.push('another match was restarted');
    for (const lane of hit) lane.faults += kind.failures;
    if (kind.saves && back) await this.#checkSaved(victim, wrong);
    if (!kind.logsErrors) wrong.push(...serve.errors.slice(oldErrors));
    const leaked = await this.#findLeak(wrong);
    if (!serve.running) wrong.push(`the TV has ended: ${serve.errors.slice(-3).join(' ')}`);
    return {
      number,
      kind: kind.name,
      backMs: backAt - hitAt,
      gapTicks: Math.max(0, ...gaps),
      goneMs,
      leaked,
      wrong,
    };
  }

  /** @param {Lane} lane @param {string[]} wrong */
  async #checkSaved(lane, wrong) {
    const before = await this.means.checkpointedAt(lane.match);
    const saved = async () => (await this.means.checkpointedAt(lane.match)) !== before;
    if (!(await poll(saved, SETTLE_MS, POLL_MS))) wrong.push('the match is no longer saved');
  }

  async close() {
    for (const lane of this.lanes) await lane.close();
    await this.serve.stop();
    removeFakeTimeFiles();
    return this.serve.orphans;
  }
}

/**
 * Runs a TV, injects faults, and stops the TV.
 * @param {object} options
 * @param {number} options.count @param {number} options.seed
 * @param {string} options.engine thread, process or zygote
 * @param {string} [options.only] a part of the names of the kinds
 * @param {AbortSignal} [options.signal] ends the run after the current fault
 * @param {(result: FaultResult) => void} [options.onFault]
 * @returns skipped: reasons by kind; orphans: processes left after the end
 */
export async function runFaults({ count, seed, engine, only = '', signal, onFault }) {
  const run = new Run({ seed, engine });
  /** @type {Record<string, string>} */
  const skipped = {};
  const kinds = KINDS.filter(({ name, engines, needs = [] }) => {
    if (!name.includes(only) || (engines && !engines.includes(engine))) return false;
    const missing = needs.find((need) => run.means.missing[need]);
    if (missing) skipped[name] = run.means.missing[missing];
    return !missing;
  });
  /** @type {FaultResult[]} */
  const faults = [];
  let orphans;
  try {
    await run.open();
    for (const [i, kind] of plan(kinds, count, run.random).entries()) {
      if (signal?.aborted) break;
      const result = await run.fault(kind, i + 1);
      faults.push(result);
      onFault?.(result);
    }
  } finally {
    orphans = await run.close();
  }
  return { faults, skipped, orphans };
}
