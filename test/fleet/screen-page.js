/** A screen that connects as its page does: it changes its TV when that one is silent. */
import { WebSocket } from 'ws';
import { HEADER_AT } from '../../app/game/frame.js';
import { Connection, SILENT_MS } from '../../app/web/lib/connection.js';

export class ScreenPage {
  /** When new frames have come, ms. @type {number[]} */
  times = [];
  /** When it has said that something is wrong, ms. @type {{from: number, to: number}[]} */
  said = [];
  hasEnded = false;
  /** @type {'pause' | 'continue' | undefined} */
  #cutOff;
  #tick = -1;
  #token = '';
  #match;
  #watched = 0;

  /** @param {string} url of the TV @param {number} match */
  constructor(url, match) {
    this.#match = match;
    this.connection = new Connection({
      url: url.replace(/^http/, 'ws') + '/ws',
      WebSocket,
      hello: () => ({ role: 'screen', token: this.#token }),
      handlers: {
        welcome: ({ token }) => {
          this.#token = token;
          this.#watched = 0;
        },
        watch: (message) => (this.#watched = message.match),
        ended: (message) => (this.hasEnded ||= message.match === this.#match),
        lobby: (message) => this.#onLobby(message),
      },
      onFrame: (frame) => this.#show(new DataView(frame).getUint32(HEADER_AT.tick, true)),
      onState: () => this.#check(),
    });
    this.connection.open();
  }

  /** @param {any} message */
  #onLobby({ cutOff, matches }) {
    this.#cutOff = cutOff;
    this.#check();
    const isThere = matches.some((/** @type {any} */ { id }) => id === this.#match);
    if (isThere && this.#watched !== this.#match) {
      this.connection.send({ t: 'watch', match: this.#match });
    }
  }

  /** @param {number} tick of a frame */
  #show(tick) {
    if (tick !== this.#tick) this.times.push(performance.now());
    this.#tick = tick;
  }

  #check() {
    const now = performance.now();
    const isStill = now - (this.times.at(-1) ?? now) > SILENT_MS;
    const isLost = this.connection.shownState !== 'open';
    const isWrong = isLost || this.#cutOff !== undefined || isStill;
    const [last] = this.said.slice(-1);
    if (isWrong && !(last?.to === Infinity)) this.said.push({ from: now, to: Infinity });
    else if (!isWrong && last?.to === Infinity) last.to = now;
  }

  /**
   * Finds the longest time without a new frame.
   * @param {number} since ms
   * @returns {{stillMs: number, saidMs: number}} saidMs: from its begin until the screen said so; Infinity: it did not
   */
  stall(since) {
    const next = this.times.findIndex((at) => at > since);
    let [from, to] = [since, since];
    for (let i = Math.max(1, next); i < this.times.length; i++) {
      const [before, at] = [this.times[i - 1], this.times[i]];
      if (at - before > to - from) [from, to] = [before, at];
    }
    const said = this.said.find((each) => each.to > from && each.from < to);
    return { stillMs: to - from, saidMs: said ? Math.max(0, said.from - from) : Infinity };
  }
}
