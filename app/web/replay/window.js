import { toast } from '../lib/dom.js';

/** Plays replays over a page, one at a time. The player is loaded when it is needed. */
export class ReplayWindow {
  /** @type {import('./player.js').ReplayPlayer | null} */
  player = null;
  #isLoading = false;

  /** Plays the last seconds of a match. @param {import('../lib/types.js').MatchId} match */
  async open(match) {
    if (this.player || this.#isLoading) return;
    this.#isLoading = true;
    try {
      const { ReplayPlayer, loadReplay, replayProblem } = await import('./player.js');
      const onClose = () => (this.player = null);
      try {
        this.player = new ReplayPlayer(await loadReplay(match), { onClose });
      } catch (error) {
        toast(replayProblem(error), 'error');
      }
    } finally {
      this.#isLoading = false;
    }
  }
}
