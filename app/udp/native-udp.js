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

/** Returns the addon. @returns {import('../native/native.js').Native} @throws {PitvError} PITV_UDP_ADDON */
export function nativeUdp() {
  try {
    return native();
  } catch (cause) {
    const sentence =
      'Datagrams of native pads need the native addon, which is not built. Run make native.';
    throw new PitvError('PITV_UDP_ADDON', sentence, { cause });
  }
}
