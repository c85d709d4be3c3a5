/** Receives the datagrams of pads in a thread of the addon, which checks them and writes the inputs into mailboxes. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { constants } from 'node:os';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { OUTCOMES, nativeUdp } from './datagram.js';

/**
 * @typedef {object} ReceiverOptions
 * @property {string} host address or name @property {number} [port] by default any free one
 * @property {number} [perSecond] datagrams that one pad may send; 0: any number
 *
 * @typedef {object} Seat the match and the slot for a pad's inputs
 * @property {Int32Array} inputs of a mailbox; its memory is kept until the pad is unseated
 * @property {number} slot @property {number} match its id
 * @property {number} generation 0..15, of the words that this pad may replace; see Seats
 *
 * @typedef {ReturnType<typeof makeReceiver>} Receiver an open port
 */

/** The counters: outcomes and overflows. */
const FIELDS = OUTCOMES.length + 1;

/**
 * Opens a port for datagrams.
 * @param {ReceiverOptions} options
 * @throws {PitvError} PITV_UDP_ADDON, PITV_PORT_BUSY, PITV_LISTEN_FAILED
 */
export async function openReceiver({ host, port = 0, perSecond = LIMITS.udpInputs.value }) {
  const native = nativeUdp();
  try {
    const address = isIP(host) ? host : (await lookup(host)).address;
    return makeReceiver(native, native.udpOpen(address, port, perSecond));
  } catch (cause) {
    const isBusy = Reflect.get(Object(cause), 'errno') === constants.errno.EADDRINUSE;
    const sentence = isBusy
      ? `Another program uses UDP port ${port}. Choose another port with --udp.`
      : `Cannot receive datagrams on ${host} port ${port}: ${messageOf(cause)}`;
    throw new PitvError(isBusy ? 'PITV_PORT_BUSY' : 'PITV_LISTEN_FAILED', sentence, { cause });
  }
}

/** @param {import('../native/native.js').Native} native @param {{receiver: object, port: number}} opened */
function makeReceiver(native, { receiver, port }) {
  const now = new Uint32Array(FIELDS);
  const before = new Uint32Array(FIELDS);
  const totals = new Float64Array(FIELDS);
  let closed = false;

  /**
   * Returns the counters: datagrams by OUTCOME, and those that the socket had no room for. The thread counts in 32
   * bits, which wrap around; this adds the differences.
   */
  function counters() {
    if (!closed) {
      native.udpCounters(receiver, now);
      now.forEach((value, i) => (totals[i] += (value - before[i]) >>> 0));
      before.set(now);
    }
    return { outcomes: [...totals.subarray(0, -1)], overflows: totals[FIELDS - 1] };
  }

  return {
    port,
    counters,
    /** Adds a pad. It replaces a pad whose number has the same low byte. @param {number} pad @param {Uint8Array} key */
    add: (pad, key) => native.udpAdd(receiver, pad, key),
    /** @param {number} pad */
    remove: (pad) => native.udpRemove(receiver, pad),
    /** @param {number} pad @param {Seat} seat */
    seat: (pad, { inputs, slot, match, generation }) =>
      native.udpSeat(receiver, pad, inputs, slot, match, generation),
    /** @param {number} pad */
    unseat: (pad) => native.udpUnseat(receiver, pad),
    /** @param {number} pad @returns {number} ms since its last accepted datagram; Infinity: there was none */
    silentMs(pad) {
      const ms = native.udpSilentMs(receiver, pad);
      return ms < 0 ? Infinity : ms;
    },
    /** Ends the thread. The counters stay readable. Idempotent. */
    async close() {
      if (closed) return;
      counters();
      closed = true;
      native.udpClose(receiver);
    },
  };
}
