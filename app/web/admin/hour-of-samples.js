/** Keeps the samples of GET /api/system/history. */

/** Older samples are dropped. */
const SPAN_MS = 3_600_000;
/** The shortest x axis, after a start of the TV. */
const MIN_SPAN_MS = 300_000;

/**
 * @typedef {import('../../system/history.js').History} History
 * @typedef {History['columns']} Columns
 */

/** Keeps the samples of the last hour in the browser. */
export class HourOfSamples {
  /** @type {number | undefined} */
  #run;
  /** Number of the newest sample. */
  newest = -1;
  nowMs = 0;
  wallMs = 0;
  intervalMs = 0;
  /** @type {number[]} ms on the clock of the TV that is never set */
  at = [];
  /** @type {Columns} */
  columns = /** @type {any} */ ({});
  /** @type {History['memory']} */
  memory = [];
  /** @type {History['processes']} */
  processes = {};

  /**
   * Adds the newest samples.
   * @param {History} history the answer to a request for those after `newest`
   * @returns {boolean} false: they belong to another run of the TV; all have to be requested
   */
  add(history) {
    const { run, first, nowMs, wallMs, intervalMs, at, columns, memory, processes } = history;
    if (run !== this.#run || first !== this.newest + 1) {
      const incomplete = run !== this.#run && this.newest >= 0 && first > 0;
      Object.assign(this, new HourOfSamples());
      this.#run = run;
      if (incomplete) return false;
    }
    const drop = this.at.filter((ms) => ms < nowMs - SPAN_MS).length;
    this.at = [...this.at.slice(drop), ...at];
    this.memory = [...this.memory.slice(drop), ...memory];
    for (const [name, values] of Object.entries(columns)) {
      const column = /** @type {keyof Columns} */ (name);
      this.columns[column] = [...(this.columns[column] ?? []).slice(drop), ...values];
    }
    const keys = new Set(this.memory.flatMap((sample) => sample?.filter((_, i) => i % 2 === 0)));
    Object.assign(this.processes, processes);
    for (const key of Object.keys(this.processes).map(Number)) {
      if (!keys.has(key)) delete this.processes[key];
    }
    this.newest = first + at.length - 1;
    Object.assign(this, { nowMs, wallMs, intervalMs });
    return true;
  }

  /** Times of the samples, seconds since 1970. */
  get seconds() {
    return this.at.map((ms) => this.#seconds(ms));
  }
  /** The hour, or the time since the TV started if that is less; seconds since 1970. @returns {[number, number]} */
  get range() {
    const first = Math.min(this.at[0] ?? this.nowMs, this.nowMs - MIN_SPAN_MS);
    return [this.#seconds(Math.max(first, this.nowMs - SPAN_MS)), this.#seconds(this.nowMs)];
  }
  /** @param {number} ms */
  #seconds(ms) {
    return (this.wallMs - this.nowMs + ms) / 1000;
  }
}
