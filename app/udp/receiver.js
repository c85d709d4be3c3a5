/**
 * Who receives pads' datagrams: threads of the addon, or, where it is not built, Node's dgram on the
 * main thread with the same checks.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { native } from '../native/native.js';
import { PitvError, messageOf } from '../errors.js';
import { AddonReceiver, errnoName } from './addon-receiver.js';
import { DgramReceiver } from './dgram-receiver.js';
import { PAD_PER_SECOND } from './limits.js';

/**
 * @typedef {object} ReceiverOptions
 * @property {string} host address or name
 * @property {number} port 0: any free one
 * @property {number} receivers threads of the addon, 1..16
 * @property {boolean} pin each on a CPU of its own
 * @property {number} perSecond datagrams that one pad may send; 0: any number
 * @property {number} bufferBytes what a socket may hold; 0: the system's default
 * @property {'addon' | 'dgram'} [backend] the addon if it is there
 *
 * @typedef {object} Seat where a pad's inputs go
 * @property {Int32Array} inputs of a mailbox; its memory is kept until the pad is unseated
 * @property {number} slot @property {number} match its id
 * @property {number} generation 0..15, of the words that are this pad's to replace; see Seats
 *
 * @typedef {object} Receiver
 * @property {'addon' | 'dgram'} backend
 * @property {number} port @property {number} count receivers
 * @property {(pad: number, key: Uint8Array) => void} add from now on the pad is known; pads with the same
 *   low byte replace each other
 * @property {(pad: number) => void} remove
 * @property {(pad: number, seat: Seat) => void} seat
 * @property {(pad: number) => void} unseat
 * @property {(pad: number) => number} heard ms since its last accepted datagram, Infinity: none yet
 * @property {() => {outcomes: number[], overflows: number}[]} counters of each receiver: by OUTCOME, and
 *   what its socket had no room for
 * @property {() => Promise<void>} close idempotent; the counters stay
 */

/** @type {Omit<ReceiverOptions, 'backend'>} */
const DEFAULTS = {
  host: '0.0.0.0',
  port: 0,
  receivers: 1,
  pin: false,
  perSecond: PAD_PER_SECOND,
  bufferBytes: 0,
};

/**
 * @param {Partial<ReceiverOptions>} options
 * @returns {Promise<Receiver>}
 * @throws {PitvError} PITV_PORT_BUSY, PITV_LISTEN_FAILED, PITV_NATIVE_MISSING if the addon was asked for
 */
export async function openReceiver(options) {
  const all = { ...DEFAULTS, ...options };
  const addon = all.backend === 'dgram' ? undefined : addonOrNot(all.backend === 'addon');
  try {
    const address = isIP(all.host) ? all.host : (await lookup(all.host)).address;
    return addon
      ? new AddonReceiver(addon, { ...all, address })
      : await DgramReceiver.open({ ...all, address });
  } catch (cause) {
    const code = addon ? errnoName(cause) : Reflect.get(Object(cause), 'code');
    throw code === 'EADDRINUSE'
      ? new PitvError(
          'PITV_PORT_BUSY',
          `UDP port ${all.port} is taken by another program. Choose another one with --udp.`,
          { cause },
        )
      : new PitvError(
          'PITV_LISTEN_FAILED',
          `Cannot receive datagrams on ${all.host} port ${all.port}: ${messageOf(cause)}`,
          { cause },
        );
  }
}

/**
 * @param {boolean} needed
 * @returns {import('./addon-receiver.js').NativeUdp | undefined}
 * @throws {PitvError} PITV_NATIVE_MISSING
 */
function addonOrNot(needed) {
  try {
    const addon = /** @type {import('./addon-receiver.js').NativeUdp} */ (
      /** @type {unknown} */ (native())
    );
    if (typeof addon.udpOpen === 'function') return addon; // one built before it had that
  } catch (error) {
    if (needed) throw error;
    return undefined;
  }
  if (!needed) return undefined;
  throw new PitvError('PITV_NATIVE_MISSING', 'The native addon is an old one. Run make native.');
}
