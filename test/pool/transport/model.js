/**
 * Runs the ring in all interleavings of its atomic operations. The methods of ring.js are made into generators that
 * stop before each atomic operation; between two stops a side runs alone. Equal states are explored once.
 */
import { readFileSync } from 'node:fs';
import {
  CONTROL,
  FIELD,
  HEADER_BYTES,
  RingMemory,
  STATE,
  WAITING,
  viewOfAll,
} from '../../../app/pool/transport/layout.js';

const FILE = new URL('../../../app/pool/transport/ring.js', import.meta.url);

/** @typedef {Generator<undefined | 'wait', any, any>} Steps */

/**
 * Returns the classes of ring.js as generators.
 * @param {(source: string) => string} change for the tests of the model
 */
export function loadRing(change) {
  const source = change(readFileSync(FILE, 'utf8'))
    .replace(/^import .*$/gm, '')
    .replace(/^export /gm, '')
    .replace(/^ {2}get empty\(\)/m, '  empty()')
    .replace(/^ {2}(?!constructor)(\w+)\((.*)\) \{$/gm, '  *$1($2) {')
    .replace(/this\.reserve\((\w+)\)/g, '(yield* this.reserve($1))')
    .replace(/#(\w+)/g, 'own_$1') // readable for the state's key
    .replace(/\bAtomics\.(\w+)\(/g, '(yield, atomics.$1)(');
  const names = ['CONTROL', 'FIELD', 'HEADER_BYTES', 'STATE', 'WAITING', 'atomics'];
  const create = new Function(...names, `${source}; return { RingWriter, RingReader };`);
  return (/** @type {object} */ atomics) =>
    create(CONTROL, FIELD, HEADER_BYTES, STATE, WAITING, atomics);
}

/**
 * @typedef {object} Model
 * @property {ReturnType<typeof loadRing>} create
 * @property {number} ringBytes
 * @property {number[]} bodies length of each message
 * @property {number} [revoked] index of the message that the writer tries to take back
 */

/** One run of both sides. */
class Run {
  /**
   * What each side has seen since it began with a message; with its position, that determines what it does next.
   * @type {string[]}
   */
  logs = ['', ''];
  /** Which sides sleep until the other one wakes them. */
  asleep = [false, false];
  done = [false, false];
  /** @type {number[]} */
  received = [];
  /** @type {number[]} */
  taken = [];
  turn = 0;

  /** @param {Model} model */
  constructor({ create, ringBytes, bodies, revoked }) {
    const memory = new ArrayBuffer(ringBytes);
    this.words = new Int32Array(memory);
    this.control = new Int32Array(64);
    const shared = new RingMemory(this.control, ringBytes, viewOfAll(memory));
    const { RingWriter, RingReader } = create(this.#atomics());
    this.sides = [
      this.#write(new RingWriter(shared), shared.bytes, bodies, revoked),
      this.#read(new RingReader(shared), shared.bytes, bodies, revoked),
    ];
  }

  /** Atomics that record what each side has seen, which determines its state. */
  #atomics() {
    return Object.fromEntries(
      ['load', 'store', 'exchange', 'compareExchange'].map((name) => [
        name,
        (/** @type {any[]} */ ...args) => {
          const result = Reflect.apply(Reflect.get(Atomics, name), Atomics, args);
          this.logs[this.turn] += `${result},`;
          return result;
        },
      ]),
    );
  }

  /**
   * Sleeps like futex(2) while the word says that this side waits.
   * @param {number} side @param {number} word @returns {Steps}
   */
  *#sleep(side, word) {
    yield undefined;
    if (this.control[word] !== WAITING.blocked) return;
    this.asleep[side] = true;
    yield 'wait';
  }

  /** @param {any} ring @param {Uint8Array} bytes @param {number[]} bodies @param {number} [revoked] @returns {Steps} */
  *#write(ring, bytes, bodies, revoked) {
    for (const [index, body] of bodies.entries()) {
      this.logs[0] = `${index} ${ring.own_tail} ${ring.own_restart} ${ring.own_marker} ${this.taken}`;
      let start = yield* ring.reserve(body);
      while (start < 0) {
        if (yield* ring.awaitSpace(WAITING.blocked, body)) yield* this.#sleep(0, CONTROL.writer);
        start = yield* ring.reserve(body);
      }
      bytes.fill(index + 1, start + HEADER_BYTES, start + HEADER_BYTES + body);
      this.words[(start >> 2) + FIELD.id] = index;
      if ((yield* ring.publish()) !== WAITING.no) this.asleep[1] = false;
      if (index !== revoked) continue;
      if (yield* ring.revoke(start, ring.position)) this.taken.push(index);
    }
  }

  /** @param {any} ring @param {Uint8Array} bytes @param {number[]} bodies @param {number} [revoked] @returns {Steps} */
  *#read(ring, bytes, bodies, revoked) {
    for (let records = 0; records < bodies.length;) {
      this.logs[1] = `${records} ${ring.own_head} ${ring.own_next} ${this.received}`;
      const start = yield* ring.peek();
      if (start === -2) throw new Error('the reader finds invalid numbers');
      if (start === -1) {
        if (yield* ring.awaitRecord(WAITING.blocked)) yield* this.#sleep(1, CONTROL.reader);
        continue;
      }
      const index = this.words[(start >> 2) + FIELD.id];
      const body = bytes.subarray(start + HEADER_BYTES, start + HEADER_BYTES + bodies[index]);
      const claimed = index !== revoked || (yield* ring.claim(start));
      if (index !== records) throw new Error(`record ${index} comes as number ${records}`);
      if (!body.every((byte) => byte === index + 1)) throw new Error('a record is torn');
      if (claimed) this.received.push(index);
      records++;
      if ((yield* ring.release()) !== WAITING.no) this.asleep[0] = false;
    }
  }

  /** Runs a side up to its next atomic operation. @param {number} side */
  step(side) {
    this.turn = side;
    this.done[side] = this.sides[side].next().done === true;
    this.logs[side] += ';';
  }

  /** The sides that can continue. */
  get ready() {
    return [0, 1].filter((side) => !this.done[side] && !this.asleep[side]);
  }

  get key() {
    return `${this.control.join()}|${this.words.join()}|${this.logs.join('|')}|${this.asleep}`;
  }
}

/**
 * Explores all interleavings.
 * @param {Model} model
 * @returns {number} how many different states there are
 * @throws {Error} when a record is lost, torn or delivered twice, or both sides sleep
 */
export function explore(model) {
  const seen = new Set();
  /** @type {number[][]} */
  const schedules = [[]];
  for (let schedule = schedules.pop(); schedule; schedule = schedules.pop()) {
    const run = new Run(model);
    for (const side of schedule) run.step(side);
    // Goes on with the first side, and returns later to where the second one could have gone on.
    for (;;) {
      const { key, ready } = run;
      if (seen.has(key)) break;
      seen.add(key);
      if (ready.length === 0) {
        checkEnd(run, model);
        break;
      }
      if (ready.length === 2) schedules.push([...schedule, 1]);
      schedule = [...schedule, ready[0]];
      run.step(ready[0]);
    }
  }
  return seen.size;
}

/** @param {Run} run @param {Model} model */
function checkEnd({ done, received, taken }, { bodies }) {
  if (done.includes(false)) throw new Error('a side sleeps for ever');
  const expected = bodies.map((_, index) => index).filter((index) => !taken.includes(index));
  if (received.join() !== expected.join()) {
    throw new Error(`received ${received}, taken back ${taken}`);
  }
}
