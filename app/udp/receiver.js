/** Receives the datagrams of pads with threads of the addon, which check them and write the inputs into mailboxes. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { constants } from 'node:os';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { OUTCOMES, nativeUdp } from './native-udp.js';

/**
 * @typedef {object} ReceiverOptions
 * @property {string} host address or name
 * @property {number} port 0: any free one
 * @property {number} receivers threads, 1..16
 * @property {boolean} pin binds each thread to its own CPU
 * @property {number} perSecond datagrams that one pad may send; 0: any number
 *
 * @typedef {object} Seat the match and the slot for a pad's inputs
 * @property {Int32Array} inputs of a mailbox; its memory is kept until the pad is unseated
 * @property {number} slot @property {number} match its id
 * @property {number} generation 0..15, of the words that this pad may replace; see Seats
 */

/** @type {ReceiverOptions} */
const DEFAULTS = {
  host: '0.0.0.0',
  port: 0,
  receivers: 1,
  pin: false,
  perSecond: LIMITS.udpInputs.value,
};
/** The counters of each receiver: its outcomes and its overflows. */
const FIELDS = OUTCOMES.length + 1;

/** An open port. */
export class Receiver {
  #native;
  #receivers;
  #closed = false;
  #now;
  #before;
  #totals;

  /**
   * @param {import('./native-udp.js').NativeUdp} native @param {ReceiverOptions & {address: string}} options
   * @throws {Error} PITV_NATIVE_FAILED with `errno`
   */
  constructor(native, { address, port, receivers, pin, perSecond }) {
    this.#native = native;
    const opened = native.udpOpen(address, port, receivers, pin, perSecond);
    this.#receivers = opened.receivers;
    this.port = opened.port;
    /** The number of receivers. */
    this.count = receivers;
    this.#now = new Uint32Array(receivers * FIELDS);
    this.#before = new Uint32Array(receivers * FIELDS);
    this.#totals = new Float64Array(receivers * FIELDS);
  }

  /** Adds a pad. It replaces a pad whose number has the same low byte. @param {number} pad @param {Uint8Array} key */
  add(pad, key) {
    this.#native.udpAdd(this.#receivers, pad, key);
  }

  /** @param {number} pad */
  remove(pad) {
    this.#native.udpRemove(this.#receivers, pad);
  }

  /** @param {number} pad @param {Seat} seat */
  seat(pad, { inputs, slot, match, generation }) {
    this.#native.udpSeat(this.#receivers, pad, inputs, slot, match, generation);
  }

  /** @param {number} pad */
  unseat(pad) {
    this.#native.udpUnseat(this.#receivers, pad);
  }

  /** @param {number} pad @returns {number} ms since its last accepted datagram; Infinity: there was none */
  silentMs(pad) {
    const ms = this.#native.udpSilentMs(this.#receivers, pad);
    return ms < 0 ? Infinity : ms;
  }

  /**
   * Returns the counters of each receiver: datagrams by OUTCOME, and those that its socket had no room for. The
   * threads count in 32 bits, which wrap around; this adds the differences.
   * @returns {{outcomes: number[], overflows: number}[]}
   */
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

  /** Ends the threads. The counters stay readable. Idempotent. */
  async close() {
    if (this.#closed) return;
    this.counters();
    this.#closed = true;
    this.#native.udpClose(this.#receivers);
  }
}

/**
 * Opens a port for datagrams.
 * @param {Partial<ReceiverOptions>} options
 * @returns {Promise<Receiver>}
 * @throws {PitvError} PITV_UDP_ADDON, PITV_PORT_BUSY, PITV_LISTEN_FAILED
 */
export async function openReceiver(options) {
  const all = { ...DEFAULTS, ...options };
  const addon = nativeUdp();
  try {
    const address = isIP(all.host) ? all.host : (await lookup(all.host)).address;
    return new Receiver(addon, { ...all, address });
  } catch (cause) {
    throw Reflect.get(Object(cause), 'errno') === constants.errno.EADDRINUSE
      ? new PitvError(
          'PITV_PORT_BUSY',
          `Another program uses UDP port ${all.port}. Choose another port with --udp.`,
          { cause },
        )
      : new PitvError(
          'PITV_LISTEN_FAILED',
          `Cannot receive datagrams on ${all.host} port ${all.port}: ${messageOf(cause)}`,
          { cause },
        );
  }
}
