/**
 * Datagrams received by threads of the addon (app/native/udp/*.c): they check them and write the
 * inputs into the mailboxes; this thread never sees one.
 */
import { constants } from 'node:os';
import { OUTCOMES } from './outcomes.js';

/**
 * What the addon does for this; errors as in app/native/native.js. Its threads have ended when the
 * environment that opened them ends. `receivers` is an object of udpOpen().
 * @typedef {object} NativeUdp
 * @property {(address: string, port: number, receivers: number, pin: boolean, perSecond: number,
 *   bufferBytes: number) => {receivers: object, port: number}} udpOpen
 * @property {(receivers: object) => void} udpClose
 * @property {(receivers: object, pad: number, key: Uint8Array) => void} udpAdd
 * @property {(receivers: object, pad: number) => void} udpRemove
 * @property {(receivers: object, pad: number, inputs: Int32Array, slot: number, match: number,
 *   generation: number) => boolean} udpSeat
 * @property {(receivers: object, pad: number) => void} udpUnseat
 * @property {(receivers: object, pad: number) => number} udpHeard
 * @property {(receivers: object, target: Uint32Array) => void} udpCounters
 *
 * @typedef {import('./receiver.js').Receiver} Receiver
 */

const FIELDS = OUTCOMES.length + 1; // and what the socket had no room for

/** @implements {Receiver} */
export class AddonReceiver {
  backend = /** @type {const} */ ('addon');
  #native;
  #receivers;
  #closed = false;
  #now;
  #before;
  #totals;

  /**
   * @param {NativeUdp} native
   * @param {import('./receiver.js').ReceiverOptions & {address: string}} options
   * @throws {Error} PITV_NATIVE_FAILED with `errno`
   */
  constructor(native, { address, port, receivers, pin, perSecond, bufferBytes }) {
    this.#native = native;
    const opened = native.udpOpen(address, port, receivers, pin, perSecond, bufferBytes);
    this.#receivers = opened.receivers;
    this.port = opened.port;
    this.count = receivers;
    this.#now = new Uint32Array(receivers * FIELDS);
    this.#before = new Uint32Array(receivers * FIELDS);
    this.#totals = new Float64Array(receivers * FIELDS);
  }

  /** @param {number} pad @param {Uint8Array} key */
  add(pad, key) {
    this.#native.udpAdd(this.#receivers, pad, key);
  }

  /** @param {number} pad */
  remove(pad) {
    this.#native.udpRemove(this.#receivers, pad);
  }

  /** @param {number} pad @param {import('./receiver.js').Seat} seat */
  seat(pad, { inputs, slot, match, generation }) {
    this.#native.udpSeat(this.#receivers, pad, inputs, slot, match, generation);
  }

  /** @param {number} pad */
  unseat(pad) {
    this.#native.udpUnseat(this.#receivers, pad);
  }

  /** @param {number} pad */
  heard(pad) {
    const ago = this.#native.udpHeard(this.#receivers, pad);
    return ago < 0 ? Infinity : ago;
  }

  /** The threads count in 32 bits, which go round; this adds up. */
  counters() {
    if (!this.#closed) {
      this.#native.udpCounters(this.#receivers, this.#now);
      this.#now.forEach((value, i) => (this.#totals[i] += (value - this.#before[i]) >>> 0));
      this.#before.set(this.#now);
    }
    return Array.from({ length: this.count }, (_, i) => {
      const each = [...this.#totals.subarray(i * FIELDS, (i + 1) * FIELDS)];
      return { outcomes: each.slice(0, -1), overflows: each[FIELDS - 1] };
    });
  }

  async close() {
    if (this.#closed) return;
    this.counters();
    this.#closed = true;
    this.#native.udpClose(this.#receivers);
  }
}

/** @param {unknown} error @returns {string | undefined} the errno's name of what the addon threw */
export function errnoName(error) {
  const errno = Reflect.get(Object(error), 'errno');
  return Object.entries(constants.errno).find(([, number]) => number === errno)?.[0];
}
