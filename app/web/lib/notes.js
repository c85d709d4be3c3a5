import { byId, setText } from './dom.js';
import { text as textOf } from './language.js';

/** Shows on a page how its connection is, and that a match is paused. */

const DRAW_MS = 500;

/** @typedef {import('./connection.js').Connection} Connection */

/**
 * Draws the marks of the connection.
 * @param {Record<string, string>} marks by id: what stands behind the round trip
 * @param {Pick<Connection, 'shownState' | 'rttMs'>} connection
 * @returns {string} the level of the connection
 */
export function drawLinkMarks(marks, { shownState, rttMs }) {
  const { level, text } = describeLink(shownState, rttMs);
  for (const [id, more] of Object.entries(marks)) {
    const mark = byId(id);
    mark.setAttribute('data-level', level);
    if (mark.lastElementChild)
      setText(mark.lastElementChild, level === 'lost' ? text : text + more);
  }
  return level;
}

/**
 * Shows whether the TV is cut off from most TVs of its fleet.
 * @param {'pause' | 'continue' | undefined} partition what its matches do then; undefined: it is not
 */
export function showCutOff(partition) {
  byId('cut-off').hidden = partition === undefined;
  if (partition) setText(byId('cut-off'), textOf(`cutOff.${partition}`));
}

/** Checks the connection when the page comes back from the background. @param {Connection} connection */
export function probeOnReturn(connection) {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') connection.probe();
  });
  addEventListener('online', () => connection.probe());
  addEventListener('pageshow', (event) => event.persisted && connection.probe());
}

/**
 * Describes the quality of the connection.
 * @param {import('./connection.js').ConnectionState} state @param {number} rttMs NaN if unknown
 * @returns {{level: 'good' | 'fair' | 'bad' | 'lost', text: string}}
 */
export function describeLink(state, rttMs) {
  if (state !== 'open') return { level: 'lost', text: textOf('link.reconnecting') };
  const level = !(rttMs > 40) ? 'good' : rttMs <= 110 ? 'fair' : 'bad';
  return { level, text: Number.isNaN(rttMs) ? '' : textOf('link.ms', { ms: Math.round(rttMs) }) };
}

/** @typedef {{by: string, leftMs: number, asks?: boolean}} Paused by: the name of a player, or ''; asks: to stop it */

/** Shows that a match is paused, by whom, and how long it can be. */
export class PauseNote {
  /** Whether the match is paused. */
  isPaused = false;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  /** @param {(id: string) => HTMLElement} [part] finds its elements */
  constructor(part = byId) {
    this.part = part;
  }

  /** @param {Paused} [paused] undefined: the match plays */
  set(paused) {
    clearInterval(this.#timer);
    this.isPaused = paused !== undefined;
    this.part('paused').hidden = !paused;
    if (!paused) return;
    const { by, leftMs, asks } = paused;
    const until = performance.now() + leftMs;
    const title = asks ? 'pause.asked' : by ? 'pause.by' : 'pause.title';
    setText(this.part('paused-by'), textOf(title, { name: by }));
    const draw = () => {
      const seconds = Math.ceil(Math.max(0, until - performance.now()) / 1000);
      setText(this.part('paused-left'), textOf(asks ? 'pause.decide' : 'pause.left', { seconds }));
    };
    draw();
    this.#timer = setInterval(draw, DRAW_MS);
  }
}
