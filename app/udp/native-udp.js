/** Loads the part of the addon that receives and signs datagrams: app/native/udp/. */
import { PitvError } from '../errors.js';
import { native } from '../native/native.js';

/** Outcomes of the checks of a datagram, in the order of enum udp_outcome in app/native/udp/udp.h. */
export const OUTCOMES = Object.freeze(
  /** @type {const} */ ([
    'accepted',
    'size', // not 32 bytes
    'format', // another protocol, or another version
    'stranger', // no such pad
    'mac', // not signed with the pad's key
    'replay', // the sequence number of the newest datagram again
    'old', // a lower sequence number than that of the newest datagram
    'rate', // over the pad's rate limit
    'seat', // the pad does not sit at that match and slot
  ]),
);

/**
 * The functions of the addon. They throw as described in app/native/native.js. A receiver ends when the environment
 * that opened it ends. `receiver` is an object of udpOpen().
 * @typedef {object} NativeUdp
 * @property {(address: string, port: number, perSecond: number) => {receiver: object, port: number}} udpOpen
 * @property {(receiver: object) => void} udpClose
 * @property {(receiver: object, pad: number, key: Uint8Array) => void} udpAdd
 * @property {(receiver: object, pad: number) => void} udpRemove
 * @property {(receiver: object, pad: number, inputs: Int32Array, slot: number, match: number,
 *   generation: number) => boolean} udpSeat
 * @property {(receiver: object, pad: number) => void} udpUnseat
 * @property {(receiver: object, pad: number) => number} udpSilentMs
 * @property {(receiver: object, target: Uint32Array) => void} udpCounters
 * @property {(key: Uint8Array, datagram: Uint8Array) => void} udpSign writes the MAC into the last 8 of 32 bytes
 */

/** Returns the addon. @returns {NativeUdp} @throws {PitvError} PITV_UDP_ADDON */
export function nativeUdp() {
  let cause;
  try {
    const addon = /** @type {NativeUdp} */ (/** @type {unknown} */ (native()));
    if (typeof addon.udpSign === 'function') return addon; // an older addon lacks it
  } catch (error) {
    cause = error;
  }
  const sentence =
    'Datagrams of native pads need the native addon, which is not built. Run make native.';
  throw new PitvError('PITV_UDP_ADDON', sentence, { cause });
}
