import { toast } from '../lib/dom.js';

/** Plays replays over a page, one at a time. The player is loaded when it is needed. */
export class ReplayWindow {
  /** @type {import('./player.js').ReplayPlayer | null} */
  player = null;
  #isLoading = false;

  /** @param {() => unknown} [onClose] called when it was closed */
  constructor(onClose) {
    this.onClose = onClose;
  }

  /** Plays the last seconds of a match. @param {import('../lib/types.js').MatchId} match */
  async open(match) {
    if (this.player || this.#isLoading) return;
    this.#isLoading = true;
    try {
      const { ReplayPlayer, loadReplay, replayProblem } = await import('./player.js');
      const onClose = () => {
        this.player = null;
        this.onClose?.();
      };
      try {
        const bytes = await loadReplay(match);
        if (this.#isLoading) this.player = new ReplayPlayer(bytes, { onClose });
      } catch (error) {
        toast(replayProblem(error), 'error');
      }
    } finally {
      this.#isLoading = false;
    }
  }

  /** Closes it, because something else is to be seen. */
  close() {
    this.#isLoading = false;
    this.player?.close();
  }
}
