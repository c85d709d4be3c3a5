/** Injects faults into a `pitv serve` with several matches, and measures the effect on the clients. */
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOfSync } from '../../app/process/memory-account.js';
import { seededIndex } from '../../bench/stats/stats.js';
import { ServeChild, isAlive } from '../support/serve.js';
import { countOf, excess } from './counts.js';
import { Lane, TICK_MS } from './lane.js';
import { Means } from './means.js';
import { RunDelays, Stalls, now } from './stalls.js';

const GAMES = ['bumper', 'swarm'];
const LANES = 3;
/** The match limits of app/match/match.js and app/storage/persistence.js leave room for this many. */
const MATCH_FAULTS = 2;
const MATCH_STARTS = 2;
const POLL_MS = 5;
/** A match that is not back after this time is lost. */
const LOST_MS = 20_000;
/** The time for a zygote to be warmed up on a machine with other work. */
const WARM_MS = 90_000;
/** How long the other matches are watched after the match is back. */
const WATCH_MS = 150;
/** The pause between two requests to start a match. */
const START_MS = 500;
/** The time for a match to start, for the next checkpoint, for the end of all processes. */
const SETTLE_MS = 10_000;
/** The time for descriptors and processes of a fault to be closed. */
const FREE_MS = 10_000;
/** The time for a spare child to be forked before the baseline is taken. */
const BASELINE_MS = 500;

/** @param {() => unknown} condition @param {number} maxMs @returns {Promise<boolean>} false: timed out */
async function within(condition, maxMs) {
  const deadline = now() + maxMs;
  while (!(await condition())) {
    if (now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

export class Run {
  /** @type {Lane[]} */
  lanes = [];
  stalls = new Stalls();
  starts = 0;
  /** Counts of the current main process at rest. @type {Counts | undefined} */
  #baseline;

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
  }

  async open() {
    await this.serve.start();
    for (let i = 0; i < LANES; i++) {
      const lane = new Lane(this.serve, i);
      this.lanes.push(lane);
      lane.open();
      await within(() => lane.connected, SETTLE_MS);
      await this.#prepare(lane); // one by one: a new match takes all idle players
    }
  }

  /** Gives a lane a new match. @param {Lane} lane */
  async #prepare(lane) {
    if (lane.match !== 0) lane.stopMatch();
    const idle = await within(() => lane.connected && lane.match === 0, SETTLE_MS);
    if (!idle)
      throw new Error(`match ${lane.match} could not be stopped: ${JSON.stringify(lane.state)}`);
    lane.begin();
    const game = GAMES[this.random(GAMES.length)];
    await within(async () => {
      if (lane.match === 0) lane.startMatch(game); // refused while this address has started too many matches
      await delay(START_MS);
      return lane.match !== 0;
    }, SETTLE_MS);
    lane.watch();
    await this.#untilPlays(lane);
    const saved = async () => (await this.means.checkpointedAt(lane.match)) > 0;
    if (await within(saved, SETTLE_MS)) return;
    throw new Error(`match ${lane.match} has no checkpoint: ${JSON.stringify(lane.state)}`);
  }

  /** @param {Lane} lane */
  async #untilPlays(lane) {
    if (await within(() => lane.plays, SETTLE_MS)) return;
    throw new Error(`lane ${lane.number} does not play: ${JSON.stringify(lane.state)}`);
  }

  /** Whether the TV has all its processes. A zygote is warmed up for seconds after a start. */
  get #settled() {
    return this.engine !== 'zygote' || this.serve.zygoteSettled;
  }

  /** Takes the counts of a main process before its first fault. */
  async #takeBaseline() {
    await within(() => this.#settled, WARM_MS);
    await delay(BASELINE_MS);
    this.#baseline = countOf(this.serve);
  }

  /**
   * Waits until the counts are back at the baseline.
   * @param {string[]} wrong gets a sentence about a leak
   * @returns {Promise<number>} the excess; 0 before the TV has settled, because a later check finds a leak
   */
  async #leaked(wrong) {
    const baseline = this.#baseline;
    if (!baseline || !this.#settled) return 0;
    const freed = () => !this.#settled || excess(countOf(this.serve), baseline) === 0;
    if (await within(freed, FREE_MS)) return 0;
    const counts = countOf(this.serve);
    const leaked = excess(counts, baseline);
    if (leaked === 0) return 0;
    this.#baseline = counts; // otherwise every later fault would report it too
    wrong.push(`held before ${JSON.stringify(baseline)}, now ${JSON.stringify(counts)}`);
    return leaked;
  }

  /**
   * Injects one fault and measures it.
   * @param {import('./kinds.js').Kind} kind @param {number} number @returns {Promise<import('./run.js').FaultResult>}
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
      await this.#untilPlays(lane);
    }
    await delay(random(250)); // anywhere between two checkpoints
    if (!this.#baseline && !all) await this.#takeBaseline();

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
        this.#baseline = undefined;
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
    const leaked = await this.#leaked(wrong);
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

/** @typedef {import('./counts.js').Counts} Counts */
/** @typedef {{ticks: number, stalledTicks: number}} Gap */

/** @param {Gap[]} gaps @returns {Gap} the longest, without the time in stalls */
const worstOf = (gaps) =>
  gaps.reduce(
    (worst, gap) => (gap.ticks - gap.stalledTicks > worst.ticks - worst.stalledTicks ? gap : worst),
    { ticks: 0, stalledTicks: 0 },
  );
