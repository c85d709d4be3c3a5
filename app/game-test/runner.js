/** Runs the test's workers on the engines of this machine, locked as the workers of matches are. */
import { fileURLToPath } from 'node:url';
import { createEngine } from '../engine/index.js';
import { PitvError, messageOf } from '../errors.js';
import { placeOf } from '../errors/place.js';
import { silentLog } from '../log.js';
import { hangMs, readyTimeoutMs } from '../process/timeouts.js';
import { findLoop } from './find-loop.js';
import { readReport, resultBytes } from './result.js';

const WORKER = new URL('./worker.js', import.meta.url);
/** What the worker's module loads, besides what every game may load. */
const MODULES = ['./', '../engine/worker/output.js'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
/** Steps a second that the engine asks for. A step is a slice of several ticks, so workers never rest. */
const STEP_HZ = 1000;
/** A tick is ended after this many times the time that a match may stand still. */
const HANGS = 5;
/** What an engine accepts. */
const MAX_HANG_MS = 60_000;
/** Lines of output that are kept. */
const MAX_LINES = 200;
/** The engine of the first runs: the first one that works. */
const ORDER = ['process', 'zygote', 'thread'];

/** @typedef {import('../engine/index.js').Engine} Engine */
/** @typedef {import('./result.js').Fault} Fault */
/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./result.js').Saved} Saved */
/** @typedef {Omit<import('./worker.js').TestOptions, 'path' | 'id' | 'from'> & {from?: Saved}} RunOptions */
/**
 * @typedef {Fault & {sort: 'threw' | 'hung' | 'out-of-memory' | 'ended', exact?: boolean}} Problem why a worker did not
 *   get to its end. exact: whether the tick is the one; otherwise it is one shortly before
 * @typedef {{result: Result, problem?: undefined} | {result?: undefined, problem: Problem}} Outcome
 */

export class Runner {
  #game;
  #path;
  #lock;
  #hangMs = Math.min(MAX_HANG_MS, HANGS * hangMs());
  /** @type {Map<string, Engine>} */
  #engines = new Map();
  /** Why engines are not tried, by name. @type {Map<string, string>} */
  missing = new Map();
  /** What the game has written in watched runs, and how many lines are left out. */
  output = { lines: /** @type {string[]} */ ([]), more: 0 };

  /** @param {import('../packages/foreign-games.js').ForeignGame} game */
  constructor(game) {
    this.#game = game;
    this.#path = fileURLToPath(game.url);
    this.#lock = { ...game.lock, readable: [...game.lock.readable, ...MODULES] };
  }

  /** Opens the engines that can run the game. @param {string[]} [names] @throws {PitvError} PITV_ENGINE_UNSUPPORTED */
  async open(names = ORDER) {
    for (const name of ORDER) {
      if (!names.includes(name)) continue;
      if (name === 'thread' && !this.#lock.bestEffort) {
        this.missing.set(name, 'a thread cannot be locked; --untrusted-games open tries it');
        continue;
      }
      try {
        const options = {
          log: silentLog,
          hangMs: this.#hangMs,
          readyTimeoutMs: readyTimeoutMs(),
          output: (/** @type {string} */ _name, /** @type {string} */ text) => this.#wrote(text),
        };
        const spawn = name === 'process' ? { spawn: withCollector } : {};
        this.#engines.set(name, await createEngine(name, { ...options, ...spawn }));
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== 'PITV_ENGINE_UNSUPPORTED') throw error;
        this.missing.set(name, messageOf(error).replace(/\.$/, ''));
      }
    }
    if (this.#engines.size > 0) return;
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', [...this.missing.values()].join('; '));
  }

  /** @param {string} text */
  #wrote(text) {
    for (const line of text.split('\n')) {
      if (this.output.lines.length < MAX_LINES) this.output.lines.push(line);
      else this.output.more++;
    }
  }

  /** Names of the engines that can be used, the reference first. */
  get engines() {
    return [...this.#engines.keys()];
  }

  /**
   * Runs a worker to its end.
   * @param {string} name of an engine @param {RunOptions} options @returns {Promise<Outcome>}
   */
  async run(name, { from, ...options }) {
    const engine = /** @type {Engine} */ (this.#engines.get(name));
    const { seeds, ticks, save = [] } = options;
    const stateBytes = this.#game.sizes().checkpointBytes;
    const plan = { ticks, saves: save.length, stateBytes };
    const mailbox = engine.createMailbox({
      inputSlots: 0,
      frameBytes: resultBytes({ ...plan, hashes: 2 * seeds.length * ticks }),
      checkpointBytes: from ? stateBytes : 0,
    });
    if (from) mailbox.putCheckpoint(from.bytes, 0);
    const start = from && { tick: from.tick, match: from.match };
    const { id } = this.#game;
    try {
      const worker = await engine.start(WORKER, {
        name: id,
        mailbox,
        options: { ...options, from: start, path: this.#path, id },
        tickHz: STEP_HZ,
        checkpointTicks: 1_000_000,
        niceness: 0,
        lock: this.#lock,
      });
      return this.#read(mailbox, await worker.exited, plan);
    } catch (error) {
      const code = Reflect.get(Object(error), 'code');
      if (code !== 'PITV_WORKER_FAILED' && code !== 'PITV_WORKER_TIMEOUT') throw error;
      const sentence = `It does not start: ${messageOf(error)}`;
      return { problem: { sort: 'ended', seed: seeds[0], tick: 0, sentence } };
    } finally {
      engine.freeMailbox(mailbox);
    }
  }

  /**
   * @param {import('../engine/mailbox/mailbox.js').Mailbox} mailbox
   * @param {import('../engine/index.js').Exit} exit @param {Parameters<typeof readReport>[1]} plan
   * @returns {Outcome}
   */
  #read(mailbox, { reason, error, signal }, plan) {
    try {
      const report = readReport(mailbox.takeFrame()?.bytes ?? new Uint8Array(), plan);
      if (report.done && report.result.failure) {
        return { problem: { sort: 'threw', exact: true, ...report.result.failure } };
      }
      if (report.done && reason === 'done') return report;
      const { seed, tick } = report.done ? { seed: 0, tick: 0 } : report;
      const failed = (/** @type {Problem['sort']} */ sort, /** @type {string} */ sentence) => ({
        problem: { sort, seed, tick, sentence },
      });
      if (reason === 'out-of-memory') return failed(reason, 'It used up its memory.');
      if (reason === 'hung') {
        const sentence = `A tick did not return within ${this.#hangMs / 1000} s. Does it loop?`;
        return failed(reason, sentence);
      }
      const at = placeOf(error, this.#game.url);
      const how = error ? messageOf(error).replace(/\.$/, '') : (signal ?? reason);
      return failed('ended', `Its process ended: ${how}${at ? ` (${at})` : ''}.`);
    } catch {
      const sentence = 'Its process gave a result that cannot be read.';
      return { problem: { sort: 'ended', seed: 0, tick: 0, sentence } };
    }
  }

  /** Finds the file and line at which a run hangs. @param {number} seed @param {number} ticks */
  findLoop(seed, ticks) {
    return findLoop(this.#game, { seed, ticks }, this.#hangMs);
  }

  async close() {
    for (const engine of this.#engines.values()) await engine.close({ graceMs: 0 });
  }
}

/**
 * Lets a worker collect its garbage, and compiles its code in the tick that asks for it: on a busy machine, code that
 * is compiled late would look like a heap that grows.
 * @param {import('../engine/host/process-worker.js').SpawnOptions} options
 */
const withCollector = ({ execArgv, ...options }) => ({
  ...options,
  execArgv: [...execArgv, '--expose-gc', '--no-concurrent-recompilation'],
});
