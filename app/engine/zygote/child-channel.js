/** The main process's end of the conversation with one child. */
import { Socket } from 'node:net';
import { PitvError } from '../../errors.js';
import { workerLimits } from '../../limits/workers.js';
import { TokenBucket } from '../../limits/token-bucket.js';
import { restoreFailure } from '../failure.js';
import { native } from '../../native/native.js';
import { KIND, createReader, encode } from './channel.js';
import { isClosed, sendFailed } from './order-queue.js';

/**
 * @typedef {object} ChannelEvents
 * @property {() => void} [started] the module's code runs in the child
 * @property {(value: unknown) => void} [message]
 * @property {(kind: number, text: string) => void} [report] the child is `ready`, `leftOut`, or has sent a `warning` or
 *   a `text`, see KIND
 * @property {(error: Error) => void} [failed] the child reported an error that ends it
 * @property {(error: Error) => void} unreadable a message cannot be decoded, is too long or not allowed, or there are
 *   too many; the channel is closed
 * @property {() => void} [closed]
 */

/**
 * @typedef {object} ChannelLimits
 * @property {number} [maxBytes] bound of one message from the child
 * @property {boolean} [messages] false allows only reports, so many at a time; default true
 */

export class ChildChannel {
  #fd;
  /** @type {ChannelEvents} */
  #events;
  /** @type {(chunk: Buffer) => void} */
  #read = () => {};
  /** @type {ReportBudget | undefined} */
  #budget;
  /** The exit status that the child announced before it exited. @type {number | undefined} */
  announcedCode;
  /** The error that the child reported, or why its message could not be read. @type {Error | undefined} */
  failure;

  /**
   * @param {number} fd this end of a socket pair; the channel closes it
   * @param {ChannelLimits} limits @param {ChannelEvents} events
   */
  constructor(fd, limits, events) {
    this.#fd = fd;
    this.#events = events;
    this.use(limits, events);
    const socket = new Socket({ fd, readable: true, writable: true });
    socket.on('data', (chunk) => {
      try {
        this.#budget?.take(chunk.length);
        this.#read(chunk);
      } catch (error) {
        const { code } = Object(error);
        if (code !== 'PITV_ZYGOTE_MESSAGE' && code !== 'PITV_WORKER_REPORTS') throw error;
        this.failure = /** @type {Error} */ (error);
        this.#events.unreadable(this.failure);
        socket.destroy();
      }
    });
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => this.#events.closed?.());
    /** Its end(), destroy(), ref() and unref() are those of the channel. */
    this.socket = socket;
  }

  /**
   * Changes the limits and the events, before the child gets its request.
   * @param {ChannelLimits} limits @param {ChannelEvents} events
   */
  use({ maxBytes, messages = true }, events) {
    this.#events = events;
    this.#read = createReader((kind, value) => this.#onValue(kind, value), {
      maxBytes: messages ? maxBytes : workerLimits.workerReportBytes.value,
      messages,
    });
    this.#budget = messages ? undefined : new ReportBudget();
  }

  /** @param {number} kind @param {any} value */
  #onValue(kind, value) {
    const events = this.#events;
    this.#budget?.take(0);
    if (kind === KIND.message) events.message?.(value);
    else if (kind === KIND.started) events.started?.();
    else if (kind === KIND.exiting) this.announcedCode = value;
    else if (kind === KIND.failed) {
      this.failure = restoreFailure(value);
      events.failed?.(this.failure);
    } else events.report?.(kind, value);
  }

  /**
   * Sends the request that the child waits for. A system call is faster than the stream, which gets the bytes that do
   * not fit into the buffer.
   * @param {Buffer} bytes @param {number[]} [descriptors] for the child
   * @returns {'sent' | 'full' | 'closed'} full: nothing has been sent, try again later; closed: the child has ended
   * @throws {PitvError} PITV_ZYGOTE_FORK, for example when a descriptor is not open
   */
  sendRequest(bytes, descriptors = []) {
    if (this.socket.destroyed) return 'closed'; // the number of its descriptor may be in use for another file
    try {
      const sent = native().sendDescriptors(this.#fd, bytes, descriptors);
      if (sent === 0) return 'full';
      if (sent < bytes.length) this.socket.write(bytes.subarray(sent));
      return 'sent';
    } catch (error) {
      if (isClosed(error)) return 'closed';
      throw sendFailed(error);
    }
  }

  /**
   * Sends a message.
   * @param {unknown} value structured-clonable
   * @returns {boolean} false when the buffer is full or the channel is closed
   * @throws {Error} when the value cannot be cloned
   */
  send(value) {
    const bytes = encode(KIND.message, value);
    return this.socket.writable && this.socket.write(bytes);
  }
}

/** Limits what a child that is not trusted may send. Each read(2) of its bytes costs time, too. */
class ReportBudget {
  #reports = new TokenBucket(workerLimits.workerReports.value, performance.now());
  #bytes = new TokenBucket(workerLimits.workerReportRate.value, performance.now());

  /** @param {number} bytes that were read at once; 0: a report @throws {PitvError} PITV_WORKER_REPORTS */
  take(bytes) {
    const now = performance.now();
    if (this.#reports.take(now) && (bytes === 0 || this.#bytes.take(now, bytes))) return;
    throw new PitvError('PITV_WORKER_REPORTS', 'The worker reports more than it may.');
  }
}
