/**
 * The job that tests a game inside a worker of an engine: it plays runs of the game as fast as it can. A step of the
 * job is a slice of some milliseconds, after which a report goes into the mailbox.
 */
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { labelOutput } from '../engine/worker/output.js';
import { messageOf } from '../errors.js';
import { placeOf } from '../errors/place.js';
import { loadGame } from '../game/load-games.js';
import { stateFields } from './compare.js';
import { Play } from './play.js';
import { MAX_FAULTS, writeProgress, writeResult } from './result.js';
import { Watch } from './watch.js';

const SLICE_MS = 4;
/** A run that takes more CPU time is cut, and so are those that follow. */
const MAX_RUN_MS = 3000;
const MIN_TICKS = 60;
/** A worker that measures plays its runs again until it has this many ticks, or has used this much CPU time. */
const MEASURED_TICKS = 10_000;
const MEASURED_MS = 3000;
/** The heap is measured this many times, or up to twice as often. */
const HEAP_SAMPLES = 24;

/**
 * @typedef {object} TestOptions
 * @property {string} path of the game's module @property {string} id of the game
 * @property {number[]} seeds one run each
 * @property {number} ticks of each run
 * @property {number} passes how often all runs are played, or more often if times and memory are measured
 * @property {boolean} [watch] whether calls of functions are noted that a game must not use
 * @property {boolean} [measure] whether times and memory are measured
 * @property {{seed: number, tick: number}[]} [save] states that are handed over
 * @property {number} [singleFrom] from this tick on, each tick is reported before the next one
 * @property {{tick: number, match: number}} [from] where the run of the only seed goes on: the worker is started with a
 *   mailbox that has the checkpoint. `ticks` is its last tick
 */
/** @typedef {import('./result.js').Result} Result */

/** The clock, which Watch does not see. @type {() => number} */
const now = performance.now.bind(performance);

/** CPU time of the process, ms. Unlike the clock, it does not depend on other work of the machine. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

class TestJob {
  done = false;
  #options;
  #game;
  #watch;
  /** @type {Result} */
  #result;
  #ticks;
  #pass = 0;
  #index = 0;
  /** @type {Play | undefined} */
  #play;
  #playMs = 0;
  #last = { seed: 0, tick: 0 };
  #allTicks = 0;
  #allMs = 0;
  #heapTicks;
  /** Hashes of the repeated runs. */
  #again = new Int32Array(2);
  /** Shortest time of each tick, ms, by seed. @type {Float64Array[]} */
  #stepMs;

  /** @param {TestOptions} options @param {import('../game/define.js').Game} game @param {Watch} [watch] */
  constructor(options, game, watch) {
    const { seeds, ticks, passes, measure, from } = options;
    this.#options = options;
    this.#game = game;
    this.#watch = watch;
    this.#ticks = ticks;
    this.#heapTicks = Math.ceil((seeds.length * ticks * passes) / HEAP_SAMPLES);
    this.#stepMs = measure ? seeds.map(() => new Float64Array(ticks).fill(Infinity)) : [];
    this.#result = {
      ticks,
      hashes: seeds.map(() => new Int32Array(2 * ticks)),
      faults: [],
      calls: [],
      ended: 0,
      joins: 0,
      frameBytes: 0,
      bodies: 0,
      stepMs: undefined,
      heap: [],
      saved: [],
      fields: [],
    };
    if (from) this.#play = new Play(game, seeds[0], from); // restore() needs it
  }

  /** What is put before the game's output; undefined in repeated runs, whose output is dropped. */
  get label() {
    return this.#pass === 0 ? `seed ${this.#last.seed}, tick ${this.#last.tick}: ` : undefined;
  }

  /** Plays for some milliseconds. */
  step() {
    const { singleFrom = Infinity } = this.#options;
    const began = now();
    const usedMs = cpuMs();
    try {
      do this.#tick();
      while (!this.done && this.#last.tick < singleFrom && now() - began < SLICE_MS);
    } catch (error) {
      const place = placeOf(error, Reflect.get(this.#game, 'url'));
      const name = error instanceof Error ? `${error.name}: ` : '';
      const sentence = `${name}${messageOf(error)}${place ? ` (${place})` : ''}`;
      this.#result.failure = { ...this.#last, sentence };
      this.done = true;
    }
    const tookMs = cpuMs() - usedMs;
    this.#playMs += tookMs;
    this.#allMs += tookMs;
  }

  #tick() {
    const { seeds, measure } = this.#options;
    const seed = seeds[this.#index];
    this.#last = { seed, tick: (this.#play?.tick ?? 0) + 1 };
    this.#watch?.begin(seed, this.#last.tick);
    const play = (this.#play ??= new Play(this.#game, seed));
    const began = now();
    play.step();
    const tookMs = now() - began;
    this.#watch?.end();
    if (measure) this.#measure(play, tookMs);
    this.#check(play, seed);
    if (play.tick < this.#ticks && this.#playMs > MAX_RUN_MS && play.tick >= MIN_TICKS) {
      this.#ticks = play.tick;
    }
    if (play.tick < this.#ticks) return;
    if (this.#pass === 0) {
      this.#result.ended += play.ended;
      this.#result.joins += play.joins;
    }
    this.#play = undefined;
    this.#playMs = 0;
    this.#index = (this.#index + 1) % seeds.length;
    if (this.#index > 0) return;
    const isMeasured = this.#allTicks >= MEASURED_TICKS || this.#allMs >= MEASURED_MS;
    this.done = ++this.#pass >= this.#options.passes && (!measure || isMeasured);
  }

  /** Checks what a tick has left. @param {Play} play @param {number} seed */
  #check(play, seed) {
    const result = this.#result;
    const { tick } = play;
    const hashes = result.hashes[this.#index];
    const at = 2 * (tick - 1);
    if (this.#pass > 0) {
      play.hash(this.#again, 0);
      const part = this.#again[0] === hashes[at] ? 'frame' : 'state';
      const same = part === 'frame' && this.#again[1] === hashes[at + 1];
      if (!same) result.repeat ??= { seed, tick, part };
      return;
    }
    play.hash(hashes, at);
    result.frameBytes = Math.max(result.frameBytes, play.frameLength);
    result.bodies = Math.max(result.bodies, play.bodies);
    for (let text = play.job.takeWarning(); text; text = play.job.takeWarning()) {
      const sentence = text.replace(/^[^,]*, tick \d+: /, ''); // the tick of the match
      if (result.faults.length < MAX_FAULTS) result.faults.push({ seed, tick, sentence });
    }
    if (!this.#options.save?.some((save) => save.seed === seed && save.tick === tick)) return;
    result.saved.push({ seed, tick, match: play.match, bytes: play.save() });
    result.fields = stateFields(play.job);
  }

  /** @param {Play} play @param {number} tookMs */
  #measure(play, tookMs) {
    const times = this.#stepMs[this.#index];
    times[play.tick - 1] = Math.min(times[play.tick - 1], tookMs);
    if (++this.#allTicks % this.#heapTicks !== 0 || !globalThis.gc) return;
    globalThis.gc();
    globalThis.gc(); // what finalizers of the first collection released
    const { used_heap_size: used, external_memory: external } = getHeapStatistics();
    const { heap } = this.#result;
    heap.push({ tick: this.#allTicks, bytes: used + external });
    if (heap.length < 2 * HEAP_SAMPLES) return;
    this.#heapTicks *= 2;
    this.#result.heap = heap.filter(({ tick }) => tick % this.#heapTicks === 0);
  }

  /** @param {Uint8Array} target */
  writeFrame(target) {
    if (!this.done) return writeProgress(target, this.#last.seed, this.#last.tick);
    return writeResult(target, this.#finish());
  }

  /** @returns {Result} */
  #finish() {
    const ticks = this.#ticks;
    const times = this.#stepMs
      .flatMap((each) => [...each.subarray(0, ticks)])
      .sort((p, q) => p - q);
    const at = (/** @type {number} */ part) => times[Math.floor(part * (times.length - 1))];
    const measured = times.length > 0 && times.at(-1) !== Infinity;
    return {
      ...this.#result,
      ticks,
      hashes: this.#result.hashes.map((hashes) => hashes.subarray(0, 2 * ticks)),
      calls: this.#watch?.calls ?? [],
      stepMs: measured ? { p50: at(0.5), p99: at(0.99), max: at(1) } : undefined,
    };
  }

  /** @param {Uint8Array} target */
  checkpoint(target) {
    return this.#play ? this.#play.job.checkpoint(target) : 0;
  }

  /** @param {Uint8Array} source */
  restore(source) {
    this.#play?.job.restore(source);
  }
}

export default {
  /** @param {TestOptions} options */
  async start(options) {
    const { path, id } = options;
    const watch = options.watch ? new Watch(pathToFileURL(path).href) : undefined;
    labelOutput(() => (watch ? 'import: ' : undefined));
    const game = await loadGame(path, id);
    watch?.end();
    const job = new TestJob(options, game, watch);
    if (watch) labelOutput(() => job.label);
    return job;
  },
};
