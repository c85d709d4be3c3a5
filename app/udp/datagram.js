/** Encodes the datagram of a pad: 32 bytes, little-endian. README.md in this folder describes it. */
import { PitvError } from '../errors.js';
import { native } from '../native/native.js';

const DATAGRAM_BYTES = 32;
export const MAGIC = 0x50; // 'P'
export const VERSION = 1;
export const KEY_BYTES = 16;

/** Offsets of the fields. */
export const AT = Object.freeze({
  magic: 0,
  version: 1,
  match: 2, // uint16
  pad: 4, // uint32
  sequence: 8, // uint32
  slot: 12,
  x: 13, // int8
  y: 14, // int8
  buttons: 15,
  pressesA: 16,
  pressesB: 17,
  reserved: 18, // 6 bytes, 0
  mac: 24, // uint64
});

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
 * @typedef {object} PadInput
 * @property {number} match 0..65535, from the TV's message `match`
 * @property {number} pad 0..2^32-1, from the TV's message `udp`
 * @property {number} sequence 1..2^32-1, higher than in every earlier datagram
 * @property {number} slot 0..255, from the TV's message `match`
 * @property {number} x -127 (left) .. 127 (right) @property {number} y -127 (up) .. 127 (down)
 * @property {number} buttons bit 0: A is held, bit 1: B
 * @property {number} pressesA 0..255, presses of A so far, modulo 256
 * @property {number} pressesB 0..255, presses of B so far, modulo 256
 */

/** Controls that nobody touches. @type {Readonly<Omit<PadInput, 'match' | 'pad' | 'sequence' | 'slot'>>} */
export const RELEASED = Object.freeze({ x: 0, y: 0, buttons: 0, pressesA: 0, pressesB: 0 });

/**
 * Writes a signed datagram.
 * @param {PadInput} input @param {Uint8Array} key 16 bytes
 * @returns {Buffer}
 * @throws {RangeError} for a field or a key out of range
 * @throws {import('../errors.js').PitvError} PITV_UDP_ADDON
 */
export function encodeDatagram(input, key) {
  if (key.length !== KEY_BYTES) throw new RangeError(`A key has ${KEY_BYTES} bytes.`);
  const target = Buffer.alloc(DATAGRAM_BYTES);
  target[AT.magic] = MAGIC;
  target[AT.version] = VERSION;
  target.writeUInt16LE(input.match, AT.match);
  target.writeUInt32LE(input.pad, AT.pad);
  target.writeUInt32LE(input.sequence, AT.sequence);
  target.writeUInt8(input.slot, AT.slot);
  target.writeInt8(input.x, AT.x);
  target.writeInt8(input.y, AT.y);
  target.writeUInt8(input.buttons, AT.buttons);
  target.writeUInt8(input.pressesA, AT.pressesA);
  target.writeUInt8(input.pressesB, AT.pressesB);
  nativeUdp().udpSign(key, target);
  return target;
}

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
