import { byId, setText } from './dom.js';
import { text as textOf } from './language.js';

/** Shows that a match is paused, by whom, and how long it can be. */

const DRAW_MS = 500;

/** @typedef {{by: string, leftMs: number}} Paused by: the name of a player, or '' */

export class PauseNote {
  /** Whether the match is paused. */
  isPaused = false;
  #root = byId('paused');
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /** @param {Paused} [paused] undefined: the match plays */
  set(paused) {
    clearInterval(this.#timer);
    this.isPaused = paused !== undefined;
    this.#root.hidden = !paused;
    if (!paused) return;
    const { by, leftMs } = paused;
    const until = performance.now() + leftMs;
    setText(byId('paused-by'), by ? textOf('pause.by', { name: by }) : textOf('pause.title'));
    const draw = () => {
      const seconds = Math.ceil(Math.max(0, until - performance.now()) / 1000);
      setText(byId('paused-left'), textOf('pause.left', { seconds }));
    };
    draw();
    this.#timer = setInterval(draw, DRAW_MS);
  }
}
