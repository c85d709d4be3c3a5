/**
 * A process that a zygote forks: ordered, forked, then waiting on its channel for its request. One that is forked
 * before anybody needs it is a spare.
 */
import { native } from '../../native/native.js';
import { ChildChannel } from './child-channel.js';
import { ProcessHandle } from './process-handle.js';

/** While too many descriptors are on their way between processes, a request is sent again after this time. */
const RETRY_MS = 5;

/** @typedef {import('./order-queue.js').OrderEvents & import('./child-channel.js').ChannelEvents} ForkEvents */

export class Fork {
  /** Process id; 0 until it has been forked. */
  pid = 0;
  /** @type {ForkEvents} */
  events;
  /** Signals the process. @type {ProcessHandle | undefined} */
  process;

  /**
   * Orders the process.
   * @param {import('./order-queue.js').OrderQueue} orders @param {boolean} ahead whether nobody waits for it
   * @param {ForkEvents} events @param {import('./child-channel.js').ChannelLimits} limits
   * @throws {Error} when no descriptor is left
   */
  constructor(orders, ahead, events, limits) {
    const [mine, theirs] = native().socketPair();
    this.events = events;
    orders.order(this, theirs, ahead);
    this.channel = new ChildChannel(mine, limits, events); // meanwhile the zygote forks
  }

  /** Gives it to another user. @param {ForkEvents} events @param {import('./child-channel.js').ChannelLimits} limits */
  use(events, limits) {
    this.events = events;
    this.channel.socket.ref();
    this.channel.use(limits, events);
  }

  /** Opens `process`, as soon as it has been forked: later another process might have its id. */
  openProcess() {
    this.process ??= new ProcessHandle(this.pid);
  }

  /**
   * Sends the request, after the process has been forked.
   * @param {Buffer} bytes @param {number[]} descriptors
   * @param {(error?: unknown) => void} onSent the descriptors may be closed; error: why they could not be sent
   * @returns {boolean} false: the process has ended, and onSent() is not called
   */
  request(bytes, descriptors, onSent) {
    try {
      const state = this.channel.sendRequest(bytes, descriptors);
      if (state === 'full') {
        setTimeout(() => this.request(bytes, descriptors, onSent) || onSent(), RETRY_MS);
      } else if (state === 'sent') onSent();
      return state !== 'closed';
    } catch (error) {
      this.channel.socket.destroy();
      onSent(error);
      return true;
    }
  }

  /** Stops using it: a process without a request exits when its channel closes. */
  discard() {
    this.channel.socket.destroy();
    this.process?.close();
  }
}
