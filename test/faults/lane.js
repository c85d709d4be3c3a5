/**
 * One match and its two clients: a pad that plays, and a screen that records each frame. Both reconnect when the TV
 * restarts, as the pages do.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { HEADER_AT } from '../../app/game/frame.js';
import { push } from '../../bench/profile/clients.js';
import { now } from './stalls.js';

const RECONNECT_MS = 20;
export const TICK_MS = 1000 / 60;

/**
 * @typedef {object} Event
 * @property {'frame' | 'restart' | 'connected' | 'ended'} kind
 * @property {number} at ms
 * @property {number} tick of a frame
 */

export class Lane {
  /** @type {Event[]} since begin(), and the last frame before it */
  events = [];
  match = 0;
  /** Faults of this match. The TV gives up a match after three failures in a minute. */
  faults = 0;
  /** Restarts of the TV during this match. The TV gives up a match after three in a row. */
  starts = 0;
  /** @type {Map<string, number>} errors that clients received, by code or close code */
  refused = new Map();
  /** The same, since begin(). @type {Map<string, number>} */
  #refusedSince = new Map();
  /** @type {WebSocket | undefined} */
  #pad;
  /** @type {WebSocket | undefined} */
  #screen;
  #watching = 0;
  #closed = false;
  /** @type {Record<string, string | undefined>} */
  #tokens = {};

  /** @param {import('../support/serve.js').ServeChild} serve @param {number} number */
  constructor(serve, number) {
    this.serve = serve;
    this.number = number;
  }

  open() {
    this.#connect('pad');
    this.#connect('screen');
  }

  /** @param {'pad' | 'screen'} role */
  #connect(role) {
    if (this.#closed) return;
    const { serve, number } = this;
    const socket = new WebSocket(`ws://127.0.0.1:${serve.port}/ws`, { perMessageDeflate: false });
    /** @type {NodeJS.Timeout | undefined} */
    let inputs;
    socket.on('open', () => {
      const token = this.#tokens[role];
      const hello = { t: 'hello', role, token, code: serve.code, name: `Lane ${number}` };
      socket.send(JSON.stringify(hello));
    });
    socket.on('message', (data, isBinary) => {
      if (isBinary) return this.#onFrame(/** @type {Buffer} */ (data));
      const message = JSON.parse(String(data));
      if (message.t === 'welcome') {
        this.#tokens[role] = message.token;
        if (role === 'pad') {
          this.#pad = socket;
          inputs = push(socket, number);
        } else {
          this.#screen = socket;
          this.#watching = 0;
          this.#note('connected');
        }
      }
      if (message.t === 'error') {
        for (const counts of [this.refused, this.#refusedSince]) {
          counts.set(message.code, (counts.get(message.code) ?? 0) + 1);
        }
        if (!this.#isOpen(role)) socket.close();
      }
      return role === 'pad' ? this.#onPad(message) : this.#onScreen(message);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(inputs);
      if (this.#pad === socket) this.#pad = undefined;
      if (this.#screen === socket) this.#screen = undefined;
      setTimeout(() => this.#connect(role), RECONNECT_MS);
    });
  }

  /** @param {'pad' | 'screen'} role */
  #isOpen(role) {
    return (role === 'pad' ? this.#pad : this.#screen) !== undefined;
  }

  get connected() {
    return this.#isOpen('pad') && this.#isOpen('screen');
  }

  /** @param {any} message */
  #onPad(message) {
    if (message.t === 'match') this.match = message.match;
    if (message.t === 'ended' && message.match === this.match) this.match = 0;
  }

  /** @param {any} message */
  #onScreen(message) {
    if (message.t === 'notice' && message.level === 'warning') this.#note('restart');
    if (message.t === 'ended' && message.match === this.#watching) this.#note('ended');
    if (message.t === 'watch') this.#watching = message.match ?? 0;
    if (message.t === 'lobby' && this.match !== 0 && this.#watching !== this.match) this.watch();
  }

  /** Makes the screen watch the lane's match. */
  watch() {
    if (this.match === 0) return;
    this.#screen?.send(JSON.stringify({ t: 'watch', match: this.match }));
  }

  /** @param {Buffer} bytes */
  #onFrame(bytes) {
    if (this.#watching === this.match) this.#note('frame', bytes.readUInt32LE(HEADER_AT.tick));
  }

  /** @param {Event['kind']} kind @param {number} [tick] */
  #note(kind, tick = 0) {
    this.events.push({ kind, tick, at: now() });
  }

  /** @param {string} game */
  startMatch(game) {
    this.#pad?.send(JSON.stringify({ t: 'start', game }));
    this.faults = 0;
    this.starts = 0;
  }

  stopMatch() {
    this.#pad?.send(JSON.stringify({ t: 'stop' }));
  }

  /** Forgets all events except the last frame. */
  begin() {
    const last = this.events.findLast(({ kind }) => kind === 'frame');
    this.events = last ? [last] : [];
    this.#refusedSince.clear();
  }

  /** Whether the screen gets advancing frames of the match. */
  get plays() {
    const [frame, before] = this.events.filter(({ kind }) => kind === 'frame').slice(-2);
    return this.connected && this.match !== 0 && before !== undefined && frame.tick !== before.tick;
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

  /** @param {Event['kind']} kind */
  has(kind) {
    return this.events.some((event) => event.kind === kind);
  }

  /** Describes the state for a report: connections, match, events and refusals since begin(). */
  get state() {
    const events = this.events.map(({ kind }) => kind);
    return {
      lane: this.number,
      match: this.match,
      watching: this.#watching,
      pad: this.#isOpen('pad'),
      screen: this.#isOpen('screen'),
      frames: events.filter((kind) => kind === 'frame').length,
      events: events.filter((kind) => kind !== 'frame').slice(-5),
      refused: Object.fromEntries(this.#refusedSince),
    };
  }

  /** @returns {{from: number, to: number, ticks: number}} the longest row of missed ticks */
  worstGap() {
    const frames = this.events.filter(({ kind }) => kind === 'frame');
    let worst = { from: 0, to: 0, ticks: 0 };
    for (let i = 1; i < frames.length; i++) {
      const [before, frame] = [frames[i - 1], frames[i]];
      const byTime = Math.round((frame.at - before.at) / TICK_MS) - 1;
      const ticks = Math.max(byTime, frame.tick - before.tick - 1);
      if (ticks > worst.ticks) worst = { from: before.at, to: frame.at, ticks };
    }
    return worst;
  }

  async close() {
    this.#closed = true;
    this.#pad?.terminate();
    this.#screen?.terminate();
    await delay(RECONNECT_MS);
  }
}
