/** Measures a match of a TV in this process while others try to disturb it. */
import { percentile } from '../../support/judge.js';
import { TICK_MS } from '../../support/played-match.js';
import { tableOf } from '../../support/report.js';

/** Measures a match in windows: as many as there are, with pauses between them. */
export class Windows {
  /** Between frames, ms. @type {number[]} */
  gaps = [];
  ms = 0;
  ticks = 0;
  late = 0;
  #from = { at: 0, ticks: 0, late: 0 };

  /**
   * @param {string} name @param {import('../../../app/match/match.js').Match} match
   * @param {import('../../support/tv.js').Client} screen of the match
   */
  constructor(name, match, screen) {
    this.name = name;
    this.match = match;
    this.screen = screen;
  }

  #now() {
    const { ticks, worker } = this.match;
    return { at: performance.now(), ticks, late: worker.mailbox?.lateTicks ?? 0 };
  }

  begin() {
    this.screen.frameTimes.length = 0;
    this.#from = this.#now();
  }

  end() {
    const { at, ticks, late } = this.#now();
    const times = this.screen.frameTimes;
    this.gaps.push(...times.slice(1).map((time, i) => time - times[i]));
    this.ms += at - this.#from.at;
    this.ticks += ticks - this.#from.ticks;
    this.late += late - this.#from.late;
  }
}

/** @param {number} part */
const inPercent = (part) => `${(part * 100).toFixed(1)} %`;

/** ticks: in parts of those that the clock has had. @type {import('../../support/report.js').Columns<Windows>} */
const COLUMNS = [
  ['neighbour', ({ name }) => name],
  ['s', ({ ms }) => (ms / 1000).toFixed()],
  ['frames', ({ gaps }) => gaps.length],
  ['ticks', ({ ticks, ms }) => inPercent((ticks * TICK_MS) / ms)],
  ['late ticks', ({ ticks, late }) => inPercent(late / ticks)],
  ['gap p99, ms', ({ gaps }) => percentile(gaps, 0.99).toFixed()],
  ['gap max, ms', ({ gaps }) => percentile(gaps, 1).toFixed()],
];

/** Formats what windows have measured. @param {Windows[]} windows */
export const describeWindows = (windows) => tableOf(COLUMNS, windows, 1);
