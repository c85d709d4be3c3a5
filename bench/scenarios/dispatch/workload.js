/** Sends tasks to a pool. Every answer is checked. */
import { setTimeout as delay } from 'node:timers/promises';

/** @typedef {import('./pools.js').Pool} Pool */

/** Slow pools exceed the duration of a phase to complete this many tasks. */
const MIN_TASKS = 5;

/** Sends tasks one after the other, with the same payload as long as it is not moved. */
class Lane {
  #pool;
  #bytes;
  #moves;
  /** @type {import('./pools.js').Payload} */
  #payload = null;
  #tag = 0;

  /** @param {Pool} pool @param {Load} load */
  constructor(pool, { bytes, level }) {
    this.#pool = pool;
    this.#bytes = bytes;
    this.#moves = level === 'transferred';
    if (bytes === 0) return;
    this.#payload = level === 'allocated' ? allocate(pool, bytes) : Buffer.alloc(bytes);
  }

  /**
   * Runs a task whose payload begins and ends with a byte that is different each time.
   * @returns {Promise<number>} ms
   */
  async run() {
    const payload = this.#payload;
    if (payload) payload[0] = payload[payload.length - 1] = this.#tag = (this.#tag + 1) & 0xff;
    const began = performance.now();
    const answer = await this.#pool.run(payload);
    const duration = performance.now() - began;
    if (payload && !isPayload(answer, this.#bytes, this.#tag))
      throw new Error('the answer differs from the payload');
    if (this.#moves) this.#payload = /** @type {Uint8Array} */ (answer);
    return duration;
  }
}

/** @param {Pool} pool @param {number} bytes */
function allocate({ allocate: allocateIn }, bytes) {
  if (!allocateIn) throw new Error('the pool has no shared memory');
  return allocateIn(bytes);
}

/**
 * Checks the size of an answer and its first and last bytes.
 * @param {any} answer JSON turns a Buffer into {type, data}; some pools turn it into an object with a key for each byte
 * @param {number} bytes @param {number} tag
 */
function isPayload(answer, bytes, tag) {
  const data = answer?.data ?? answer ?? {};
  const size = data.length ?? Object.keys(data).length;
  return size === bytes && data[0] === tag && data[bytes - 1] === tag;
}

/**
 * @typedef {object} Load
 * @property {number} bytes @property {string} level
 */

/**
 * Makes a function that keeps a pool busy for a time.
 * @param {Pool} pool @param {Load} load @param {number} atOnce tasks in flight
 * @returns {(milliseconds: number) => Promise<number>} resolves with the number of tasks
 */
export function makeLoad(pool, load, atOnce) {
  const lanes = Array.from({ length: atOnce }, () => new Lane(pool, load));
  return async (milliseconds) => {
    const end = performance.now() + milliseconds;
    let tasks = 0;
    const runLane = async (/** @type {Lane} */ lane) => {
      while (tasks < MIN_TASKS || performance.now() < end) {
        await lane.run();
        tasks++;
      }
    };
    await Promise.all(lanes.map(runLane));
    return tasks;
  };
}

/**
 * Sends one task after the other.
 * @param {Pool} pool @param {Load} load @param {number} milliseconds
 * @param {number} pauseMs between an answer and the next task
 * @returns {Promise<number[]>} duration of each task, ms
 */
export async function timeTasks(pool, load, milliseconds, pauseMs) {
  const lane = new Lane(pool, load);
  const end = performance.now() + milliseconds;
  /** @type {number[]} */
  const times = [];
  while (times.length < MIN_TASKS || performance.now() < end) {
    times.push(await lane.run());
    if (pauseMs > 0) await delay(pauseMs);
  }
  return times;
}
