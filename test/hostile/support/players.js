/** A screen and two pads that play bumper, and record how an attack affects them. */
import { decodeHeader } from '../../../app/game/frame.js';
import { Client } from '../../support/tv.js';

const INPUT_EVERY_MS = 33;
/** After this time without a frame, the screen counts as frozen, ms. */
const CLOCK_MS = 2000;
/** A match older than this is replaced between attacks, so that no match is over during an attack. */
const MATCH_MS = 30_000;

/** @typedef {import('./limited-tv.js').LimitedTv} LimitedTv */

export class Players {
  /** @type {Client} */
  screen;
  /** @type {Client[]} */
  pads;
  #startedAt = -Infinity;
  #turn = 0;
  #lastFrameAt = performance.now();
  #longestGapMs = 0;
  #inputs;

  /** @param {Client} screen @param {Client[]} pads */
  constructor(screen, pads) {
    this.screen = screen;
    this.pads = pads;
    screen.socket.on('message', (_data, isBinary) => {
      if (!isBinary) return;
      const now = performance.now();
      this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastFrameAt);
      this.#lastFrameAt = now;
    });
    this.#inputs = setInterval(() => this.#steer(), INPUT_EVERY_MS);
  }

  /** @param {LimitedTv} tv */
  static async join(tv) {
    const client = /** @type {any} */ (tv);
    const screen = await Client.screen(client);
    const pads = [
      await Client.pad(client, { name: 'Ann' }),
      await Client.pad(client, { name: 'Bob' }),
    ];
    const players = new Players(screen, pads);
    await players.freshMatch();
    return players;
  }

  /** Starts a match if none is on, and a new one if the match is old. */
  async freshMatch() {
    const over = this.pads[0].messages.some(({ t }) => t === 'ended');
    if (!over && performance.now() - this.#startedAt < MATCH_MS) return;
    if (!over && this.#startedAt > 0) {
      this.pads[0].send({ t: 'stop' });
      await this.pads[0].next('ended');
    }
    for (const { messages } of this.pads) messages.length = 0;
    this.pads[0].send({ t: 'start', game: 'bumper' });
    const { match } = await this.pads[0].next('match');
    this.screen.send({ t: 'watch', match });
    await this.screen.until(() => this.#header()?.match === match, 'frames of the new match');
    this.#startedAt = performance.now();
    this.mark();
  }

  #header() {
    return this.screen.frame && decodeHeader(this.screen.frame);
  }

  #steer() {
    this.#turn++;
    for (const [i, pad] of this.pads.entries()) {
      if (pad.closed) continue;
      const angle = this.#turn / 10 + i * Math.PI;
      pad.input(Math.round(100 * Math.cos(angle)), Math.round(100 * Math.sin(angle)));
    }
  }

  /**
   * Waits for the next frame.
   * @returns {Promise<{tick: number, ms: number}>} its tick, and when it came; the same tick for a screen without
   *   frames
   */
  async clock() {
    const { screen } = this;
    const seen = screen.frames;
    const deadline = performance.now() + CLOCK_MS;
    while (screen.frames === seen && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return { tick: this.#header()?.tick ?? 0, ms: performance.now() };
  }

  /** Forgets the gaps between frames so far. */
  mark() {
    this.#longestGapMs = 0;
    this.#lastFrameAt = performance.now();
  }

  /** The longest time without a frame since mark(), ms. */
  get longestGapMs() {
    return Math.max(this.#longestGapMs, performance.now() - this.#lastFrameAt);
  }

  /** @returns {string[]} what has gone wrong, as sentences */
  get faults() {
    const clients = [this.screen, ...this.pads];
    const names = ['the screen', 'the pad of Ann', 'the pad of Bob'];
    const lost = names
      .filter((_, i) => clients[i].closed)
      .map((name) => `${name} lost its connection`);
    const [pad] = this.pads;
    const told = (/** @type {string} */ type) => pad.messages.filter(({ t }) => t === type);
    if (told('ended').length > 0) lost.push('the match has ended');
    if (told('notice').length > 0) lost.push('the worker of the match was replaced');
    return lost;
  }

  leave() {
    clearInterval(this.#inputs);
    for (const client of [this.screen, ...this.pads]) client.vanish();
  }
}
