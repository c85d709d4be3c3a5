/**
 * The table of pads and what a datagram has to pass, for where there is no addon: the same checks, in
 * the same order, as app/native/udp/pads.c. A test holds one against the other.
 */
import { PRESENT, generationOf, packInput, withGeneration } from '../game/input.js';
import { AT, DATAGRAM_BYTES, MAGIC, VERSION, isSigned } from './datagram.js';
import { OUTCOME } from './outcomes.js';

const MASK = 15;
const A_SHIFT = 18;
const B_SHIFT = 22;
/** How often a word is tried to be replaced: a broken worker may scribble there without end. */
const TRIES = 64;
/** The window of the rate bound, ms. */
const WINDOW_MS = 1024;

/**
 * @typedef {object} Entry
 * @property {Uint8Array} key
 * @property {number} sequence of the newest datagram
 * @property {{a: number, b: number} | undefined} presses its counters
 * @property {number} window @property {number} inWindow datagrams in it
 * @property {number} heardAt ms, performance.now()
 * @property {import('./receiver.js').Seat | undefined} seat
 * @property {{a: number, b: number} | undefined} offset from the pad's counters to the slot's
 */

export class PadTable {
  /** @type {Map<number, Entry>} */
  #pads = new Map();

  /** @param {number} perSecond datagrams a pad may send; 0: as many as it likes */
  constructor(perSecond) {
    this.perSecond = perSecond;
  }

  /** @param {number} pad @param {Uint8Array} key */
  add(pad, key) {
    const blank = { presses: undefined, seat: undefined, offset: undefined };
    this.#pads.set(pad, {
      key: key.slice(),
      sequence: 0,
      window: -1,
      inWindow: 0,
      heardAt: -Infinity,
      ...blank,
    });
  }

  /** @param {number} pad */
  remove(pad) {
    this.#pads.delete(pad);
  }

  /** @param {number} pad @param {import('./receiver.js').Seat | undefined} seat */
  seat(pad, seat) {
    const entry = this.#pads.get(pad);
    if (!entry) return;
    entry.seat = seat;
    entry.offset = undefined;
  }

  /** @param {number} pad @param {number} now @returns {number} ms */
  heard(pad, now) {
    return now - (this.#pads.get(pad)?.heardAt ?? -Infinity);
  }

  /**
   * @param {Buffer} bytes a datagram @param {number} now ms
   * @returns {number} OUTCOME
   */
  take(bytes, now) {
    if (bytes.length !== DATAGRAM_BYTES) return OUTCOME.size;
    if (bytes[AT.magic] !== MAGIC || bytes[AT.version] !== VERSION) return OUTCOME.format;
    const entry = this.#pads.get(bytes.readUInt32LE(AT.pad));
    if (!entry) return OUTCOME.stranger;
    if (!isSigned(bytes, entry.key)) return OUTCOME.mac;
    const sequence = bytes.readUInt32LE(AT.sequence);
    if (sequence === entry.sequence) return OUTCOME.replay;
    if (sequence < entry.sequence) return OUTCOME.old;
    entry.sequence = sequence;
    if (!this.#withinRate(entry, now)) return OUTCOME.rate;
    const { seat } = entry;
    const there =
      seat !== undefined &&
      seat.slot === bytes[AT.slot] &&
      seat.match === bytes.readUInt16LE(AT.match) &&
      write(entry, seat, bytes);
    entry.presses = { a: bytes[AT.pressesA], b: bytes[AT.pressesB] };
    if (!there) return OUTCOME.seat;
    entry.heardAt = now;
    return OUTCOME.accepted;
  }

  /** @param {Entry} entry @param {number} now */
  #withinRate(entry, now) {
    if (this.perSecond === 0) return true;
    const window = Math.floor(now / WINDOW_MS);
    if (entry.window !== window) Object.assign(entry, { window, inWindow: 0 });
    if (entry.inWindow >= this.perSecond) return false;
    entry.inWindow++;
    return true;
  }
}

/**
 * @param {Entry} entry @param {import('./receiver.js').Seat} seat @param {Buffer} bytes
 * @returns {boolean} false: the slot has another owner by now
 */
function write(entry, { inputs, slot, generation }, bytes) {
  for (let tries = 0; tries < TRIES; tries++) {
    const old = Atomics.load(inputs, slot * 2 + 1);
    if ((old & PRESENT) === 0 || generationOf(old) !== generation) return false;
    const buttons = bytes[AT.buttons];
    const [a, b] = [bytes[AT.pressesA], bytes[AT.pressesB]];
    // What was pressed since the datagram before; of a pad's very first one, what is held.
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

/** -128 is not an axis's value. @param {number} value */
const axis = (value) => Math.max(-127, value);
