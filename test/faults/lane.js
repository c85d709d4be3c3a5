/** One of the matches that are played while faults are injected, with a pad and a screen. */
import { push } from '../../bench/harness/sockets.js';
import { PlayedMatch } from '../support/played-match.js';

export const TICK_MS = 1000 / 60;

export class Lane extends PlayedMatch {
  /** Faults of this match. The TV gives up a match after three failures in a minute. */
  faults = 0;
  /** Restarts of the TV during this match. The TV gives up a match after three in a row. */
  starts = 0;

  /** @param {import('../support/serve.js').ServeChild} serve @param {number} number */
  constructor(serve, number) {
    super(serve, [`Lane ${number}`], (pad) => push(pad.socket, number));
  }

  /** @override @param {string} game */
  async play(game) {
    await super.play(game);
    this.faults = 0;
    this.starts = 0;
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

  /** @returns {{from: number, to: number, ticks: number}} the longest row of missed ticks */
  worstGap() {
    const { frames } = this;
    let worst = { from: 0, to: 0, ticks: 0 };
    for (let i = 1; i < frames.length; i++) {
      const [before, frame] = [frames[i - 1], frames[i]];
      const byTime = Math.round((frame.at - before.at) / TICK_MS) - 1;
      const ticks = Math.max(byTime, frame.tick - before.tick - 1);
      if (ticks > worst.ticks) worst = { from: before.at, to: frame.at, ticks };
    }
    return worst;
  }
}
