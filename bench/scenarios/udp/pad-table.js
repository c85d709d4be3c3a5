/**
 * Checks datagrams in JavaScript, in the order of app/native/udp/pads.c. The udp scenario compares the cost with the
 * addon's, and the fuzzer compares the results.
 */
import { PRESENT, generationOf, packInput, withGeneration } from '../../../app/game/input.js';
import { AT, DATAGRAM_BYTES, MAGIC, SIGNED_BYTES, VERSION } from '../../../app/udp/datagram.js';
import { OUTCOME } from '../../../app/udp/outcomes.js';
import { siphash24 } from './siphash.js';

const MASK = 15;
const A_SHIFT = 18;
const B_SHIFT = 22;
/** Maximum attempts to replace a word, because a broken worker may change it all the time. */
const MAX_TRIES = 64;

/**
 * @typedef {object} Entry
 * @property {Uint8Array} key
 * @property {number} sequence of the newest datagram
 * @property {{a: number, b: number} | undefined} presses counters of the newest datagram
 * @property {import('../../../app/udp/receiver.js').Seat | undefined} seat
 * @property {{a: number, b: number} | undefined} offset from the pad's counters to the slot's
 */

export class PadTable {
  /** @type {Map<number, Entry>} */
  #pads = new Map();

  /** Adds a pad. @param {number} pad @param {Uint8Array} key */
  add(pad, key) {
    const blank = { presses: undefined, seat: undefined, offset: undefined };
    this.#pads.set(pad, { key: key.slice(), sequence: 0, ...blank });
  }

  /** Assigns a seat to a pad. @param {number} pad @param {import('../../../app/udp/receiver.js').Seat} seat */
  seat(pad, seat) {
    const entry = this.#pads.get(pad);
    if (entry) Object.assign(entry, { seat, offset: undefined });
  }

  /** Checks a datagram, and writes its input to the mailbox. @param {Buffer} bytes @returns {number} OUTCOME */
  receive(bytes) {
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
 * Writes the input of a datagram to its slot.
 * @param {Entry} entry @param {import('../../../app/udp/receiver.js').Seat} seat @param {Buffer} bytes
 * @returns {boolean} false if the slot has another owner by now
 */
function write(entry, { inputs, slot, generation }, bytes) {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const old = Atomics.load(inputs, slot * 2 + 1);
    if ((old & PRESENT) === 0 || generationOf(old) !== generation) return false;
    const buttons = bytes[AT.buttons];
    const [a, b] = [bytes[AT.pressesA], bytes[AT.pressesB]];
    // Adds the presses since the previous datagram. For the first datagram of a pad, held buttons count as pressed.
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

/** Clamps an axis to -127..127. @param {number} value -128..127 */
const axis = (value) => Math.max(-127, value);
