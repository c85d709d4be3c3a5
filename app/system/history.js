/** Keeps the last hour for the plots of the System tab: a sample each 15 s, of 10 numbers and up to 16 processes. */
import { WINDOW_MS as INTERVAL_MS } from '../server/measurements.js';
import { powerFromFiles, temperature, throttledBits } from './board.js';

export const SAMPLES = 3_600_000 / INTERVAL_MS;
/** Those of throttledBits() that stand for the moment. */
const NOW_BITS = 15;
/** Processes of one sample. The rest is counted as `other`. */
const MAX_PROCESSES = 16;

/** Columns with one number per sample. */
const COLUMNS = /** @type {const} */ ([
  'loopP50Ms',
  'loopP99Ms',
  'loopMaxMs',
  'lateTicks',
  'matches',
  'phones',
  'restarts',
  'celsius',
  'throttled',
]);

/**
 * @typedef {typeof COLUMNS[number]} Column
 * @typedef {{name: string, pid: number, game: string | null, memory: {unreclaimableKib: number}}} ProcessMemory
 *
 * @typedef {object} History what GET /api/system/history answers with
 * @property {number} intervalMs
 * @property {number} now ms since 1970
 * @property {number[]} at ms since 1970, also of samples from before the clock was set
 * @property {Record<Column, (number | null)[]>} columns null: not known
 * @property {(number[] | null)[]} memory per sample: key and KiB of each process in turn; null: not measured
 * @property {Record<string, {name: string, pid: number, game: string | null}>} processes by key
 */

/** @param {number} [value] @returns {number | null} with two decimals; null: not known */
const rounded = (value = NaN) => (Number.isNaN(value) ? null : Math.round(value * 100) / 100);

export class Recorder {
  /** @type {{at: number, values: (number | null)[], memory: number[] | null}[]} values: in the order of COLUMNS */
  #samples = [];
  /** @type {Map<string, {key: number, last: number, about: History['processes'][string]}>} last: time of a sample */
  #processes = new Map();
  #lastKey = 0;
  #restarts = 0;
  #parts;

  /**
   * @param {object} parts
   * @param {Pick<import('./usage.js').Usage, 'takeLateTicks' | 'recentProcesses'>} parts.usage
   * @param {Pick<import('../lobby/lobby.js').Lobby, 'matches' | 'players' | 'on'>} parts.lobby
   * @param {string} [parts.root] for tests: stands before each path of the board
   */
  constructor(parts) {
    this.#parts = parts;
    parts.lobby.on('restart', () => this.#restarts++);
  }

  /**
   * Records a sample. Memory is in it only if somebody has asked for it since the last one: reading it costs the main
   * process time.
   * @param {{p50: number, p99: number, max: number}} loop the event loop's delay since the last sample, ms
   */
  async record({ p50, p99, max }) {
    const { lobby, usage, root } = this.#parts;
    const [celsius, flags] = await Promise.all([temperature(root), powerFromFiles(root)]);
    const restarts = this.#restarts;
    this.#restarts = 0;
    const values = {
      loopP50Ms: p50,
      loopP99Ms: p99,
      loopMaxMs: max,
      lateTicks: usage.takeLateTicks(),
      matches: lobby.matches.length,
      phones: lobby.players.all.filter(({ connected }) => connected).length,
      restarts,
      celsius,
      throttled: flags && throttledBits(flags) & NOW_BITS,
    };
    const processes = await usage.recentProcesses(INTERVAL_MS)?.catch(() => undefined);
    this.add(performance.now(), values, processes);
  }

  /**
   * Adds a sample.
   * @param {number} at ms on a clock that is never set
   * @param {Partial<Record<Column, number>>} values a missing one is not known
   * @param {ProcessMemory[]} [processes] without it the memory was not measured
   */
  add(at, values, processes) {
    const memory = processes ? this.#memory(at, processes) : null;
    this.#samples.push({ at, values: COLUMNS.map((name) => rounded(values[name])), memory });
    if (this.#samples.length > SAMPLES) this.#samples.shift();
    for (const [id, { last }] of this.#processes) {
      if (last < this.#samples[0].at) this.#processes.delete(id);
    }
  }

  /** @param {number} at @param {ProcessMemory[]} processes @returns {number[]} key and KiB of each process in turn */
  #memory(at, processes) {
    const own = processes.slice(0, MAX_PROCESSES);
    if (processes.length > MAX_PROCESSES) {
      const rest = processes.slice(MAX_PROCESSES - 1).map(({ memory }) => memory.unreclaimableKib);
      const memory = { unreclaimableKib: rest.reduce((sum, kib) => sum + kib, 0) };
      own[MAX_PROCESSES - 1] = { name: 'other', pid: 0, game: null, memory };
    }
    return own.flatMap(({ name, pid, game, memory: { unreclaimableKib } }) => {
      const id = `${name} ${pid} ${game}`;
      let known = this.#processes.get(id);
      if (!known) {
        known = { key: ++this.#lastKey, last: 0, about: { name, pid, game } };
        this.#processes.set(id, known);
      }
      known.last = at;
      return [known.key, Math.round(unreclaimableKib)];
    });
  }

  /** Returns the samples of the last hour. @returns {History} */
  read() {
    const samples = this.#samples;
    const columns = COLUMNS.map((name, i) => [name, samples.map(({ values }) => values[i])]);
    const processes = [...this.#processes.values()].map(({ key, about }) => [key, about]);
    const now = Date.now();
    const started = now - performance.now();
    return {
      intervalMs: INTERVAL_MS,
      now,
      at: samples.map(({ at }) => Math.round(started + at)),
      columns: Object.fromEntries(columns),
      memory: samples.map(({ memory }) => memory),
      processes: Object.fromEntries(processes),
    };
  }
}
