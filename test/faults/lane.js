import { push } from '../../bench/harness/sockets.js';
import { PlayedMatch } from '../support/played-match.js';

/** One of the matches that are played while faults are injected, with a pad and a screen. */
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
}
