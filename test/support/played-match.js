/**
 * A match of a `pitv serve`, the pads that play it, and a screen that records its frames. The clients reconnect when
 * the TV restarts, as the pages do.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { HEADER_AT } from '../../app/game/frame.js';
import { Client } from '../../bench/harness/client.js';
import { now, poll } from './polling.js';

export const TICK_MS = 1000 / 60;
const RECONNECT_MS = 20;
/** The pause between two requests to start a match. */
const START_MS = 500;
/** The time for a match to end, to start, and to be played. */
const SETTLE_MS = 20_000;

/**
 * @typedef {object} Event
 * @property {'frame' | 'restart' | 'connected' | 'ended' | 'lost' | 'refused'} kind connected: the screen
 * @property {number} at ms
 * @property {number} tick of a frame
 * @property {string} about the client that lost its connection, or the code of a refusal
 *
 * @typedef {{role: 'screen' | 'pad', name: string, client?: Client, token?: string}} Seat client: when it is connected
 *
 * @typedef {(pad: Client, number: number) => NodeJS.Timeout} Steer sends inputs until the timer is cleared
 */

export class PlayedMatch {
  /** @type {Event[]} since begin(), and the last frame before it */
  events = [];
  /** The match that the first pad plays; 0 without one. */
  match = 0;
  /** The match that the screen watches. */
  watching = 0;
  #isClosed = false;
  /** @type {Seat[]} the screen, then the pads */
  #seats;
  #steer;

  /** @param {import('./serve.js').ServeChild} serve @param {string[]} players names @param {Steer} steer */
  constructor(serve, players, steer) {
    this.serve = serve;
    this.#steer = steer;
    this.#seats = [{ role: 'screen', name: 'the screen' }];
    for (const name of players) this.#seats.push({ role: 'pad', name });
  }

  open() {
    for (const seat of this.#seats) void this.#keepConnected(seat);
  }

  /** @param {Seat} seat */
  async #keepConnected(seat) {
    while (!this.#isClosed) {
      const { role, name, token } = seat;
      const hello = { t: 'hello', role, token, code: this.serve.code, name };
      const client = new Client(hello, { perMessageDeflate: false });
      /** @type {NodeJS.Timeout | undefined} */
      let inputs;
      try {
        await client.connect(this.serve);
        client.socket.on('message', (data, isBinary) => {
          if (isBinary) return this.#onFrame(/** @type {Buffer} */ (data));
          const message = JSON.parse(String(data));
          if (message.t === 'welcome') {
            seat.token = message.token;
            seat.client = client;
            if (role === 'pad') inputs = this.#steer(client, this.#seats.indexOf(seat) - 1);
          }
          if (message.t === 'error') {
            this.#note('refused', { about: message.code });
            if (!seat.client) client.vanish();
          }
          if (role === 'screen') this.#onScreen(message);
          else if (seat === this.#seats[1]) this.#onPad(message);
        });
        await once(client.socket, 'close');
      } catch {
        // The TV does not run, or has broken the connection.
      }
      clearInterval(inputs);
      if (seat.client) this.#note('lost', { about: name });
      seat.client = undefined;
      await delay(RECONNECT_MS);
    }
  }

  /** @param {any} message */
  #onPad(message) {
    if (message.t === 'match') this.match = message.match;
    if (message.t === 'ended' && message.match === this.match) this.match = 0;
    // Between two matches, it is seated in the next one that another pad starts.
    if (message.t === 'error' && message.code === 'PITV_NOT_YOURS') {
      this.#seats[1].client?.send({ t: 'leave' });
      this.match = 0;
    }
  }

  /** @param {any} message */
  #onScreen(message) {
    if (message.t === 'welcome') {
      this.watching = 0;
      this.#note('connected');
    }
    if (message.t === 'notice' && message.level === 'warning') this.#note('restart');
    if (message.t === 'ended' && message.match === this.watching) this.#note('ended');
    if (message.t === 'watch') this.watching = message.match ?? 0;
    if (message.t === 'lobby' && this.match !== 0 && this.watching !== this.match) this.watch();
  }

  /** @param {Buffer} bytes */
  #onFrame(bytes) {
    if (this.watching !== this.match) return;
    this.#note('frame', { tick: bytes.readUInt32LE(HEADER_AT.tick) });
  }

  /** @param {Event['kind']} kind @param {{tick?: number, about?: string}} [more] */
  #note(kind, { tick = 0, about = '' } = {}) {
    this.events.push({ kind, tick, about, at: now() });
  }

  /** Whether the screen and all pads are connected. */
  get isConnected() {
    return this.#seats.every(({ client }) => client !== undefined);
  }
  get frames() {
    return this.events.filter(({ kind }) => kind === 'frame');
  }

  /** @param {Event['kind']} kind */
  has(kind) {
    return this.events.some((event) => event.kind === kind);
  }

  /** What has gone wrong since begin(), as sentences. @returns {string[]} */
  get harm() {
    const lost = this.events.filter(({ kind }) => kind === 'lost');
    const harm = lost.map(({ about }) => `${about} lost its connection`);
    if (this.has('ended')) harm.push('the match has ended');
    if (this.has('restart')) harm.push('the worker of the match was replaced');
    return harm;
  }

  /**
   * Finds the longest time without a frame at the screen.
   * @param {number} since ms, after begin() @returns {{ms: number, ticks: number}} ticks: missed in a row
   */
  longestGap(since) {
    const frames = this.frames.filter((frame) => frame.at > since);
    const gap = { ms: 0, ticks: 0 };
    let [at, tick] = [since, (frames[0]?.tick ?? 0) - 1];
    for (const next of [...frames, { at: now(), tick: 0 }]) {
      const missed = Math.round((next.at - at) / TICK_MS) - 1;
      gap.ms = Math.max(gap.ms, next.at - at);
      gap.ticks = Math.max(gap.ticks, missed, next.tick - tick - 1);
      ({ at, tick } = next);
    }
    return gap;
  }

  /** Forgets all events except the last frame. */
  begin() {
    this.events = this.frames.slice(-1);
  }

  /** Makes the screen watch the match. */
  watch() {
    if (this.match !== 0) this.#seats[0].client?.send({ t: 'watch', match: this.match });
  }

  /** Starts a match, after the end of the one before. Resolves when it is played. @param {string} game */
  async play(game) {
    const pad = () => this.#seats[1].client;
    if (this.match !== 0) pad()?.send({ t: 'stop' });
    await this.#until('idle', () => this.isConnected && this.match === 0);
    this.begin();
    await this.#until('in a match', async () => {
      if (this.match === 0) pad()?.send({ t: 'start', game }); // refused while this address has started too many
      await delay(START_MS);
      return this.match !== 0;
    });
    this.watch();
    await this.untilPlayed();
  }

  /** Waits until the screen gets advancing frames of the match. */
  untilPlayed() {
    return this.#until('played', () => {
      const [before, frame] = this.frames.slice(-2);
      return this.isConnected && this.match !== 0 && frame && frame.tick !== before.tick;
    });
  }

  /** @param {string} what @param {() => unknown} condition @throws {Error} when it takes too long */
  async #until(what, condition) {
    if (await poll(condition, SETTLE_MS)) return;
    throw new Error(`the clients are not ${what}: ${JSON.stringify(this.state)}`);
  }

  /** Describes the state for a report: connections, match, and events since begin(). */
  get state() {
    const { match, watching, isConnected, frames } = this;
    const others = this.events.filter(({ kind }) => kind !== 'frame').slice(-5);
    const events = others.map(({ kind, about }) => `${kind} ${about}`);
    return { match, watching, isConnected, frames: frames.length, events };
  }

  async close() {
    this.#isClosed = true;
    for (const { client } of this.#seats) client?.vanish();
    await delay(RECONNECT_MS);
  }
}
