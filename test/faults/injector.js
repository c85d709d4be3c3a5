/** Injects faults into a `pitv serve` with several matches, and measures the effect on the clients. */
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOfSync } from '../../app/process/memory-account.js';
import { seededIndex } from '../../bench/stats/stats.js';
import { now, poll } from '../support/polling.js';
import { ServeChild, isAlive } from '../support/serve.js';
import { KINDS, plan } from './kinds.js';
import { Lane, TICK_MS } from './lane.js';
import { LeakCheck } from './leak-check.js';
import { Means } from './means.js';
import { RunDelays, Stalls } from './stalls.js';

const GAMES = ['bumper', 'swarm'];
const LANES = 3;
/** The match limits of app/match/match.js and app/storage/persistence.js leave room for this many. */
const MATCH_FAULTS = 2;
const MATCH_STARTS = 2;
const POLL_MS = 5;
/** A match that is not back after this time is lost. */
const LOST_MS = 20_000;
/** How long the other matches are watched after the match is back. */
const WATCH_MS = 150;
/** The time for the next checkpoint, and for the end of all processes. */
const SETTLE_MS = 10_000;
/** Faults in a block, see plan(). */
const BLOCK = 250;

/** @param {() => unknown} condition @param {number} maxMs @returns {Promise<any>} falsy: timed out */
const within = (condition, maxMs) => poll(condition, maxMs, POLL_MS);

/**
 * @typedef {object} FaultResult
 * @property {number} number from 1
 * @property {string} kind
 * @property {number} backMs Infinity: not at all
 * @property {number} stalledMs part of backMs in which the machine stalled or the TV's processes waited for a core
 * @property {number} gapTicks most ticks in a row that another match missed
 * @property {number} gapStalledTicks part of gapTicks in which the machine stalled
 * @property {number | undefined} goneMs if the main process was killed: time until all of its processes had ended
 * @property {number} leaked descriptors, processes and shared memory more than before
 * @property {number} memoryKib of the main process, anonymous and shared memory
 * @property {number} start number of the main process, from 0
 * @property {string[]} wrong what else went wrong
 *
 * @typedef {object} RunResult
 * @property {FaultResult[]} faults
 * @property {Record<string, string>} skipped reason by kind
 * @property {Map<string, number>} refused errors that clients received
 * @property {number} orphans processes left after the end
 */

class Run {
  /** @type {Lane[]} */
  lanes = [];
  stalls = new Stalls();
  starts = 0;

  /** @param {{seed: number, engine: string}} options */
  constructor({ seed, engine }) {
    this.engine = engine;
    this.random = seededIndex(seed);
    this.means = new Means();
    // By default, a TV that starts on a busy machine takes longer to call a match hung.
    const args = ['--engine', engine, '--hang-ms', '600', '--max-matches', '8'];
    const { dataDir, env, cgroups } = this.means;
    this.serve = new ServeChild({
      dataDir,
      args: [...args, '--checkpoint-seconds', '1'],
      env,
      cgroups,
    });
    this.leaks = new LeakCheck(this.serve, engine === 'zygote');
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
    if (await within(saved, SETTLE_MS)) return;
    throw new Error(`match ${lane.match} has no checkpoint: ${JSON.stringify(lane.state)}`);
  }

  /**
   * Injects one fault and measures it.
   * @param {import('./kinds.js').Kind} kind @param {number} number @returns {Promise<FaultResult>}
   */
  async fault(kind, number) {
    const { lanes, serve, means, engine, random } = this;
    const victim = lanes[random(lanes.length)];
    const all = kind.hits === 'all';
    for (const lane of all ? lanes : [victim]) {
      const worn = lane.faults + kind.failures > MATCH_FAULTS || lane.starts >= MATCH_STARTS;
      if (worn || lane.match === 0) await this.#prepare(lane);
    }
    for (const lane of lanes) {
      if (lane.match === 0) await this.#prepare(lane); // its round was over
      await lane.untilPlayed();
    }
    await delay(random(250)); // anywhere between two checkpoints
    if (!all) await this.leaks.takeBaseline();

    const pids = all ? serve.processes() : [];
    const oldErrors = serve.errors.length;
    /** @type {string[]} */
    const wrong = [];
    for (const lane of lanes) lane.begin();
    const delays = new RunDelays([serve.pid, serve.zygotePid, ...serve.workers.values()]);
    /** Old and new processes that the victim's match needs. @type {Set<number>} */
    const needed = new Set();
    const note = () => {
      for (const pid of [serve.pid, serve.zygotePid, serve.workers.get(victim.match) ?? 0]) {
        if (pid > 0) needed.add(pid);
      }
      delays.note([...needed, ...serve.workers.values()]);
    };
    const began = now();
    this.stalls.forget(began - 1000);
    const injected = kind
      .inject({ serve, means, victim, engine, random })
      .catch((error) => void wrong.push(`the fault could not be injected: ${error.message}`));
    let hitAt = began;
    let goneMs;
    /** @type {Promise<unknown>} */
    let restarted = injected;
    if (all) {
      restarted = injected.then(async () => {
        hitAt = now();
        await serve.ended();
        const gone = within(() => !pids.some(isAlive), LOST_MS).then((done) => {
          goneMs = done ? now() - hitAt : Infinity;
        });
        this.leaks.reset();
        this.starts++;
        await Promise.all([gone, serve.start()]);
      });
    } else if (kind.name.startsWith('disk')) {
      void injected.then(() => (hitAt = now())); // such a fault hits at its end
    }
    const sign = all ? 'connected' : 'restart';
    const hit = () => (all ? lanes : [victim]);
    const isBack = () => {
      note();
      return hit().every((lane) => lane.backAt(sign) !== undefined);
    };
    const lost = () => lanes.some((lane) => lane.has('ended'));
    const back = (await within(() => isBack() || lost(), LOST_MS)) && isBack();
    await restarted;
    const backAt = back
      ? Math.max(...hit().map((lane) => lane.backAt(sign) ?? Infinity))
      : Infinity;
    if (!back) {
      const states = hit().map((lane) => JSON.stringify(lane.state));
      wrong.push(`${lost() ? 'a match ended' : 'a match did not come back'}: ${states.join(' ')}`);
    }
    await kind.lift?.({ serve, means, victim, engine, random });
    await within(() => void note(), WATCH_MS);
    const others = all ? [] : lanes.filter((lane) => !hit().includes(lane));
    const gaps = others.map((lane) => {
      const { from, to, ticks } = lane.worstGap();
      const pids = [serve.pid, serve.workers.get(lane.match) ?? 0];
      const stalledMs = this.#stalled([from, to], delays, pids);
      return { ticks, stalledTicks: stalledMs / TICK_MS };
    });
    const gap = worstOf(gaps);
    if (others.some((lane) => lane.has('restart'))) wrong.push('another match was restarted');
    for (const lane of hit()) {
      if (all) lane.starts++;
      else lane.faults += kind.failures;
    }
    if (kind.saves && back) await this.#checkSaved(victim, wrong);
    if (!kind.logsErrors) {
      for (const { msg, error } of serve.errors.slice(oldErrors))
        wrong.push(`${msg} ${error ?? ''}`);
    }
    const leaked = await this.leaks.find(wrong);
    if (!serve.running) wrong.push(`the TV has ended: ${JSON.stringify(serve.errors.slice(-3))}`);
    return {
      number,
      kind: kind.name,
      backMs: backAt - hitAt,
      stalledMs: back ? this.#stalled([hitAt, backAt], delays, needed) : 0,
      gapTicks: gap.ticks,
      gapStalledTicks: gap.stalledTicks,
      goneMs,
      leaked,
      memoryKib: memoryOfSync([serve.pid]).unreclaimableKib,
      start: this.starts,
      wrong,
    };
  }

  /**
   * @param {import('./stalls.js').Interval} interval @param {RunDelays} delays @param {Iterable<number>} pids
   * @returns {number} ms in which the machine stalled, or these processes waited for a core
   */
  #stalled(interval, delays, pids) {
    return Math.max(this.stalls.during(interval), delays.during(interval, pids));
  }

  /** @param {Lane} lane @param {string[]} wrong */
  async #checkSaved(lane, wrong) {
    const before = await this.means.checkpointedAt(lane.match);
    const saved = async () => (await this.means.checkpointedAt(lane.match)) !== before;
    if (!(await within(saved, SETTLE_MS))) wrong.push('the match is no longer saved');
  }

  async close() {
    for (const lane of this.lanes) await lane.close();
    this.stalls.close();
    await this.serve.stop();
    const none = await within(() => this.serve.processes().length === 0, SETTLE_MS);
    const orphans = none ? [] : this.serve.processes();
    for (const pid of orphans) process.kill(pid, 'SIGKILL');
    await within(() => this.serve.processes().length === 0, SETTLE_MS);
    this.means.close();
    return orphans.length;
  }
}

/** @typedef {{ticks: number, stalledTicks: number}} Gap */

/** @param {Gap[]} gaps @returns {Gap} the longest, without the time in stalls */
const worstOf = (gaps) =>
  gaps.reduce(
    (worst, gap) => (gap.ticks - gap.stalledTicks > worst.ticks - worst.stalledTicks ? gap : worst),
    { ticks: 0, stalledTicks: 0 },
  );

/**
 * Runs a TV, injects faults, and stops the TV.
 * @param {object} options
 * @param {number} options.count @param {number} options.seed
 * @param {string} options.engine thread, process or zygote
 * @param {string} [options.only] a part of the names of the kinds
 * @param {AbortSignal} [options.signal] ends the run after the current fault
 * @param {(result: FaultResult) => void} [options.onFault]
 * @returns {Promise<RunResult>}
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
    for (const [i, kind] of plan(kinds, count, run.random, BLOCK).entries()) {
      if (signal?.aborted) break;
      const result = await run.fault(kind, i + 1);
      faults.push(result);
      onFault?.(result);
    }
  } finally {
    orphans = await run.close();
  }
  const refused = new Map();
  for (const lane of run.lanes) {
    for (const [code, times] of lane.refused) refused.set(code, (refused.get(code) ?? 0) + times);
  }
  return { faults, skipped, refused, orphans };
}
