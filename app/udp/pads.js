/** Issues the keys of native pads, passes their seats to the receiver, and releases the controls of silent pads. */
import { randomBytes, randomInt } from 'node:crypto';
import { PitvError } from '../errors.js';
import { KEY_BYTES, VERSION } from './datagram.js';
import { LIMITS } from '../limits/table.js';
import { openReceiver } from './receiver.js';

/** @typedef {import('../lobby/players.js').Player} Player */
/** @typedef {import('../match/seats.js').Binding} Binding */

/** After this time without a datagram, stick and buttons are released, and inputs over the websocket count again. */
const SILENCE_MS = 2000;
const POLL_MS = 500;
/** UDP_MAX_PADS in app/native/udp/udp.h. */
const MAX_PADS = LIMITS.udpPads.value;

/** @typedef {{pad: number, released: boolean}} PadKey released: the pad is silent, and its controls are released */

/** Issues keys to native pads. */
export class UdpPads {
  /** @type {Map<Player, Binding>} the seats of all players, with a key or without */
  #bindings = new Map();
  /** @type {Map<Player, PadKey>} */
  #keys = new Map();
  /** The upper bytes of the last id. They differ for each key, and start at random, so that old ids are unknown. */
  #round = randomInt(2 ** 24);
  /** The open port. @type {import('./receiver.js').Receiver | undefined} */
  receiver;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {import('./receiver.js').ReceiverOptions & {silenceMs?: number}} options */
  constructor({ silenceMs = SILENCE_MS, ...options }) {
    this.options = options;
    this.silenceMs = silenceMs;
  }

  /** The number of pads with a key. */
  get count() {
    return this.#keys.size;
  }

  /** Opens the port. @throws {PitvError} PITV_PORT_BUSY, PITV_LISTEN_FAILED */
  async open() {
    this.receiver = await openReceiver(this.options);
    const pollMs = Math.min(POLL_MS, this.silenceMs / 4);
    this.#timer = setInterval(() => this.#releaseSilent(), pollMs).unref();
  }

  /**
   * Issues a new key and revokes the previous one.
   * @param {Player} player
   * @returns {{version: number, port: number, pad: number, key: string}} key: 32 hexadecimal digits
   * @throws {PitvError} PITV_UDP_OFF, PITV_UDP_FULL
   */
  issueKey(player) {
    const receiver = this.receiver;
    if (!receiver) throw new PitvError('PITV_UDP_OFF', 'This TV takes no datagrams.');
    this.revokeKey(player);
    if (this.count === MAX_PADS) {
      throw new PitvError('PITV_UDP_FULL', `${MAX_PADS} pads send datagrams already.`);
    }
    const taken = new Set([...this.#keys.values()].map(({ pad }) => pad % MAX_PADS));
    let place = 0; // the low byte of the pad's id
    while (taken.has(place)) place++;
    this.#round = (this.#round + 1) % 2 ** 24;
    const pad = this.#round * MAX_PADS + place;
    const key = randomBytes(KEY_BYTES);
    receiver.add(pad, key);
    this.#keys.set(player, { pad, released: true });
    this.#seat(player);
    return { version: VERSION, port: receiver.port, pad, key: key.toString('hex') };
  }

  /** Revokes the key of a player, if there is one. @param {Player} player */
  revokeKey(player) {
    const key = this.#keys.get(player);
    if (!key) return;
    this.receiver?.remove(key.pad);
    this.#keys.delete(player);
  }

  /** Sets the seat of a player. A match calls it. @param {Player} player @param {Binding} binding */
  bind(player, binding) {
    this.#bindings.set(player, binding);
    this.#seat(player);
  }

  /** Removes the seat of a player. Afterwards, the mailbox is not used any more. @param {Player} player */
  unbind(player) {
    this.#bindings.delete(player);
    const key = this.#keys.get(player);
    if (key) this.receiver?.unseat(key.pad);
  }

  /** Passes the seat of a player with a key to the receiver. @param {Player} player */
  #seat(player) {
    const key = this.#keys.get(player);
    const binding = this.#bindings.get(player);
    if (!key || !binding) return;
    const { match, mailbox, slot, generation } = binding;
    this.receiver?.seat(key.pad, { inputs: mailbox.inputs, slot, match: match.id, generation });
  }

  /**
   * Returns whether the player's pad sends datagrams. Then the caller must ignore its inputs over the websocket, or the
   * two would overwrite each other.
   * @param {Player} player
   */
  isActive(player) {
    const key = this.#keys.get(player);
    if (!key) return false;
    if (!this.#isSilent(key)) key.released = false;
    return !key.released;
  }

  /** @param {PadKey} key */
  #isSilent({ pad }) {
    return (this.receiver?.silentMs(pad) ?? Infinity) > this.silenceMs;
  }

  #releaseSilent() {
    for (const [player, key] of this.#keys) {
      const { released } = key;
      key.released = this.#isSilent(key);
      if (key.released && !released) this.#bindings.get(player)?.match.seats.resetInput(player);
    }
  }

  /** Closes the port. Idempotent. */
  async close() {
    clearInterval(this.#timer);
    this.#keys.clear();
    this.#bindings.clear();
    await this.receiver?.close();
  }
}
