/** Sums up the ticks of the last seconds, and compares them with the budgets of boards. */
import { boardFactors } from '../game-test/boards.js';
import { TICK_BUCKET_MICROS } from '../engine/mailbox/tick-stats.js';

const BUDGET_MICROS = 1e6 / 60;
const SHARE = 0.99;

/**
 * @typedef {import('../engine/mailbox/tick-stats.js').TickReading} TickReading
 *
 * @typedef {object} TickReport
 * @property {number} ticks
 * @property {number[]} counts ticks by bucket
 * @property {readonly number[]} bucketMicros shortest duration in each bucket
 * @property {number} micros 99 % of the ticks take no longer, rounded up to the end of a bucket
 * @property {{title: string, budgetMicros: number, late: number}[]} boards budgetMicros: a tick that takes longer here
 *   takes longer than a tick has on the board, by estimate; late: share of such ticks
 * @property {number} bodies @property {number} contacts @property {number} frameBytes of the last tick
 * @property {number | null} garbageBytes per tick; null if unknown
 */

export class TickLog {
  /** @type {TickReading[]} */
  #readings = [];
  #max;
  #boards;

  /** @param {number} stepMs measureStepMs() of this machine @param {number} readings number that is kept */
  constructor(stepMs, readings) {
    this.#max = readings;
    this.#boards = boardFactors(stepMs).map(({ title, factor }) => {
      return { title, budgetMicros: BUDGET_MICROS / factor };
    });
  }

  /** @param {TickReading} reading */
  add(reading) {
    this.#readings.push(reading);
    if (this.#readings.length > this.#max) this.#readings.shift();
  }

  clear() {
    this.#readings = [];
  }

  /** @returns {TickReport | null} null without any ticks */
  report() {
    const readings = this.#readings;
    const counts = TICK_BUCKET_MICROS.map((_, i) => sum(readings.map((one) => one.counts[i])));
    const ticks = sum(counts);
    const last = readings.at(-1);
    if (ticks === 0 || !last) return null;
    const garbageTicks = sum(readings.map((one) => one.garbageTicks));
    const garbage = sum(readings.map((one) => one.garbageBytes));
    const { bodies, contacts, frameBytes } = last;
    return {
      ticks,
      counts,
      bucketMicros: TICK_BUCKET_MICROS,
      micros: endOf(counts, ticks),
      boards: this.#boards.map((board) => {
        return { ...board, late: lateTicks(counts, board.budgetMicros) / ticks };
      }),
      bodies,
      contacts,
      frameBytes,
      garbageBytes: garbageTicks > 0 ? Math.round(garbage / garbageTicks) : null,
    };
  }
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Returns the end of the bucket below which SHARE of the ticks are. @param {number[]} counts @param {number} ticks */
function endOf(counts, ticks) {
  let below = 0;
  const bucket = counts.findIndex((count) => (below += count) >= SHARE * ticks);
  return TICK_BUCKET_MICROS[Math.min(bucket + 1, counts.length - 1)];
}

/** Counts the ticks in the buckets that lie above a duration. @param {number[]} counts @param {number} micros */
const lateTicks = (counts, micros) =>
  sum(counts.filter((_, i) => i > 0 && TICK_BUCKET_MICROS[i] >= micros));
