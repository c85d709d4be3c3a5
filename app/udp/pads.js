/**
 * Which pads send datagrams: hands out keys, tells the receivers where each pad sits, and lets go what
 * a pad holds when nothing comes from it any more.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { PitvError } from '../errors.js';
import { KEY_BYTES, VERSION } from './datagram.js';
import { LIMITS } from '../limits/table.js';
import { openReceiver } from './receiver.js';

/** @typedef {import('../lobby/players.js').Player} Player */
/** @typedef {import('../match/input-sink.js').Binding} Binding */

/** After so much silence stick and buttons are let go, and inputs over the websocket count again. */
const SILENCE_MS = 2000;
const POLL_MS = 500;
/** UDP_PADS in app/native/udp/udp.h. */
const MAX_PADS = LIMITS.udpPads.value;

/**
 * @typedef {object} PadKey
 * @property {number} pad its number
 * @property {Buffer} key
 * @property {boolean} released what it held has been let go
 */

export class UdpPads {
  /** @type {Map<Player, Binding>} where players sit, with a key or without */
  #bindings = new Map();
  /** @type {Map<Player, PadKey>} */
  #keys = new Map();
  /** @type {(Player | undefined)[]} by the low byte of their pad's number */
  #places = new Array(MAX_PADS).fill(undefined);
  /** So that the number of a pad of an earlier start, or of another player, is nobody's. */
  #round = randomInt(2 ** 24);
  /** @type {import('./receiver.js').Receiver | undefined} */
  #receiver;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {Partial<import('./receiver.js').ReceiverOptions> & {silenceMs?: number}} options */
  constructor({ silenceMs = SILENCE_MS, ...options }) {
    this.options = options;
    this.silenceMs = silenceMs;
  }

  get receiver() {
    return this.#receiver;
  }
  /** How many have a key. */
  get count() {
    return this.#keys.size;
  }

  /** @throws {PitvError} PITV_PORT_BUSY, PITV_LISTEN_FAILED */
  async open() {
    this.#receiver = await openReceiver(this.options);
    const every = Math.min(POLL_MS, this.silenceMs / 4);
    this.#timer = setInterval(() => this.#releaseSilent(), every).unref();
  }

  /**
   * A fresh key; the one before is worth nothing from now on.
   * @param {Player} player
   * @returns {{version: number, port: number, pad: number, key: string}} key: 32 hexadecimal digits
   * @throws {PitvError} PITV_UDP_OFF, PITV_UDP_FULL
   */
  give(player) {
    const receiver = this.#receiver;
    if (!receiver) throw new PitvError('PITV_UDP_OFF', 'This TV takes no datagrams.');
    this.take(player);
    const place = this.#places.indexOf(undefined);
    if (place < 0) {
      throw new PitvError('PITV_UDP_FULL', `${MAX_PADS} pads send datagrams already.`);
    }
    this.#round = (this.#round + 1) % 2 ** 24;
    const pad = this.#round * MAX_PADS + place;
    const key = randomBytes(KEY_BYTES);
    receiver.add(pad, key);
    this.#places[place] = player;
    this.#keys.set(player, { pad, key, released: true });
    this.#seat(player);
    return { version: VERSION, port: receiver.port, pad, key: key.toString('hex') };
  }

  /** @param {Player} player who loses the key, if there is one */
  take(player) {
    const known = this.#keys.get(player);
    if (!known) return;
    this.#receiver?.remove(known.pad);
    this.#keys.delete(player);
    this.#places[known.pad % MAX_PADS] = undefined;
  }

  /** For a match: where the player sits. @param {Player} player @param {Binding} binding */
  bind(player, binding) {
    this.#bindings.set(player, binding);
    this.#seat(player);
  }

  /** For a match: nothing of its mailbox is used after this. @param {Player} player */
  unbind(player) {
    this.#bindings.delete(player);
    const known = this.#keys.get(player);
    if (known) this.#receiver?.unseat(known.pad);
  }

  /** @param {Player} player */
  #seat(player) {
    const known = this.#keys.get(player);
    const binding = this.#bindings.get(player);
    if (!known || !binding) return;
    const { match, mailbox, slot, generation } = binding;
    this.#receiver?.seat(known.pad, { inputs: mailbox.inputs, slot, match: match.id, generation });
  }

  /**
   * Do datagrams come from this player? Then what the websocket says of the same pad is not to be heard,
   * or the two would undo each other.
   * @param {Player} player
   */
  speaks(player) {
    const known = this.#keys.get(player);
    if (!known) return false;
    const silent = (this.#receiver?.silentMs(known.pad) ?? Infinity) > this.silenceMs;
    if (!silent) known.released = false;
    return !known.released;
  }

  #releaseSilent() {
    for (const [player, known] of this.#keys) {
      const { released } = known;
      const silent = (this.#receiver?.silentMs(known.pad) ?? Infinity) > this.silenceMs;
      known.released = silent;
      if (silent && !released) this.#bindings.get(player)?.match.seats.resetInput(player);
    }
  }

  /** Idempotent. */
  async close() {
    clearInterval(this.#timer);
    this.#keys.clear();
    this.#bindings.clear();
    await this.#receiver?.close();
  }
}
