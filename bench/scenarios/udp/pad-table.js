/**
 * The checks of a datagram in JavaScript, in the order of app/native/udp/pads.c. The udp scenario compares their cost
 * with the addon's, and the fuzzer compares their results.
 */
import { PRESENT, generationOf, packInput, withGeneration } from '../../../app/game/input.js';
import { AT, DATAGRAM_BYTES, MAGIC, SIGNED_BYTES, VERSION } from '../../../app/udp/datagram.js';
import { OUTCOME } from '../../../app/udp/outcomes.js';
import { siphash24 } from './siphash.js';

const MASK = 15;
const A_SHIFT = 18;
const B_SHIFT = 22;
/** Attempts to replace a word, because a broken worker may write there without end. */
const TRIES = 64;

/**
 * @typedef {object} Entry
 * @property {Uint8Array} key
 * @property {number} sequence of the newest datagram
 * @property {{a: number, b: number} | undefined} presses its counters
 * @property {import('../../../app/udp/receiver.js').Seat | undefined} seat
 * @property {{a: number, b: number} | undefined} offset from the pad's counters to the slot's
 */

export class PadTable {
  /** @type {Map<number, Entry>} */
  #pads = new Map();

  /** @param {number} pad @param {Uint8Array} key */
  add(pad, key) {
    const blank = { presses: undefined, seat: undefined, offset: undefined };
    this.#pads.set(pad, { key: key.slice(), sequence: 0, ...blank });
  }

  /** @param {number} pad @param {import('../../../app/udp/receiver.js').Seat} seat */
  seat(pad, seat) {
    const entry = this.#pads.get(pad);
    if (entry) Object.assign(entry, { seat, offset: undefined });
  }

  /** @param {Buffer} bytes a datagram @returns {number} OUTCOME */
  take(bytes) {
    if (bytes.length !== DATAGRAM_BYTES) return OUTCOME.size;
    if (bytes[AT.magic] !== MAGIC || bytes[AT.version] !== VERSION) return OUTCOME.format;
    const entry = this.#pads.get(bytes.readUInt32LE(AT.pad));
    if (!entry) return OUTCOME.stranger;
    if (!isSigned(bytes, entry.key)) return OUTCOME.mac;
    const sequence = bytes.readUInt32LE(AT.sequence);
    if (sequence === entry.sequence) return OUTCOME.replay;
    if (sequence < entry.sequence) return OUTCOME.old;
    entry.sequence = sequence;
    const { seat } = entry;
    const written =
      seat !== undefined &&
      seat.slot === bytes[AT.slot] &&
      seat.match === bytes.readUInt16LE(AT.match) &&
      write(entry, seat, bytes);
    entry.presses = { a: bytes[AT.pressesA], b: bytes[AT.pressesB] };
    return written ? OUTCOME.accepted : OUTCOME.seat;
  }
}

const mac = { low: 0, high: 0 };

/** @param {Buffer} bytes @param {Uint8Array} key */
function isSigned(bytes, key) {
  siphash24(key, bytes, SIGNED_BYTES, mac);
  return mac.low === bytes.readUInt32LE(AT.mac) && mac.high === bytes.readUInt32LE(AT.mac + 4);
}

/**
 * @param {Entry} entry @param {import('../../../app/udp/receiver.js').Seat} seat @param {Buffer} bytes
 * @returns {boolean} false: the slot has another owner by now
 */
function write(entry, { inputs, slot, generation }, bytes) {
  for (let tries = 0; tries < TRIES; tries++) {
    const old = Atomics.load(inputs, slot * 2 + 1);
    if ((old & PRESENT) === 0 || generationOf(old) !== generation) return false;
    const buttons = bytes[AT.buttons];
    const [a, b] = [bytes[AT.pressesA], bytes[AT.pressesB]];
    // The presses since the datagram before; of a pad's first datagram, the buttons that are held.
    const { presses } = entry;
    entry.offset ??= {
      a: (old >> A_SHIFT) + (presses ? a - presses.a : buttons & 1) - a,
      b: (old >> B_SHIFT) + (presses ? b - presses.b : (buttons >> 1) & 1) - b,
    };
    const [x, y] = [axis(bytes.readInt8(AT.x)), axis(bytes.readInt8(AT.y))];
    const { offset } = entry;
    const word = packInput(x, y, buttons, (a + offset.a) & MASK, (b + offset.b) & MASK);
    const next = withGeneration(word, generation);
    if (Atomics.compareExchange(inputs, slot * 2 + 1, old, next) !== old) continue;
    Atomics.add(inputs, slot * 2, 1);
    return true;
  }
  return false;
}

/** Replaces -128, which is no value of an axis. @param {number} value */
const axis = (value) => Math.max(-127, value);
