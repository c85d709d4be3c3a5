/**
 * Sends orders to a zygote and matches its replies to them.
 *
 * An order waits in the backlog while the socket's buffer is full. It is answered by 'forked' or 'failed'; the child's
 * exit follows later. A zygote that does not answer in time is reported to `onTimeout`.
 */
import { getSystemErrorName } from 'node:util';
import { PitvError, messageOf } from '../../errors.js';
import { native } from '../../native/native.js';
import { REPLY, encodeOrder } from './records.js';

/** Errors of sendmsg(2) after the other side has ended. */
const CLOSED_ERRORS = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'ECONNREFUSED']);
/** A zygote answers within milliseconds. One that takes this long does not work any more. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * @typedef {object} OrderEvents
 * @property {() => void} forked `fork.pid` is set
 * @property {(error: Error) => void} refused there is no child. PITV_ZYGOTE_DIED: another zygote may be asked
 * @property {(reply: import('./records.js').Reply) => void} exited
 * @property {() => void} orphaned the zygote died, so no reply will report the child's exit
 *
 * @typedef {{pid: number, events: OrderEvents}} Ordered
 */

export class OrderQueue {
  #addon = native();
  #control;
  #socket;
  #onTimeout;
  #lastId = 0;
  /** Ordered children by the id of the order. @type {Map<number, {fork: Ordered, timer?: NodeJS.Timeout}>} */
  #ordered = new Map();
  /** Running children by their process id. @type {Map<number, Ordered>} */
  #running = new Map();
  /** @type {{id: number, bytes: Buffer, channel: number}[]} */
  #backlog = [];
  #ended = false;

  /**
   * @param {number} control descriptor of the socket @param {import('node:net').Socket} socket
   * @param {() => void} onTimeout is called for a late answer
   */
  constructor(control, socket, onTimeout) {
    this.#control = control;
    this.#socket = socket;
    this.#onTimeout = onTimeout;
  }

  /**
   * Orders a child.
   * @param {Ordered} fork none of its events is called before this function returns
   * @param {number} channel descriptor of the child's end; it is closed here
   * @param {boolean} ahead whether nobody waits for the child, so that the zygote may take its time
   */
  order(fork, channel, ahead) {
    if (this.#ended) {
      this.#addon.closeDescriptor(channel);
      queueMicrotask(() => fork.events.refused(zygoteDied()));
      return;
    }
    const id = ++this.#lastId;
    const timer = ahead ? undefined : setTimeout(this.#onTimeout, ANSWER_TIMEOUT_MS);
    this.#ordered.set(id, { fork, timer });
    this.#backlog.push({ id, bytes: encodeOrder(id, ahead), channel });
    if (this.#backlog.length === 1) this.#flush();
  }

  /** Handles a reply of the zygote. @param {import('./records.js').Reply} reply */
  onReply(reply) {
    const { kind, id, pid } = reply;
    const fork = kind === REPLY.exited ? this.#running.get(pid) : this.#takeOrdered(id);
    if (kind === REPLY.exited) {
      this.#running.delete(pid);
      fork?.events.exited(reply);
    } else if (kind === REPLY.failed) {
      fork?.events.refused(forkFailed(reply.value));
    } else if (fork) {
      this.#running.set(pid, fork);
      fork.pid = pid;
      fork.events.forked();
    }
    this.#flush();
  }

  /** Refuses all open orders and reports the running children as orphaned. Call it when the zygote has ended. */
  end() {
    this.#ended = true;
    for (const { channel } of this.#backlog.splice(0)) this.#addon.closeDescriptor(channel);
    for (const id of [...this.#ordered.keys()]) this.#takeOrdered(id)?.events.refused(zygoteDied());
    for (const fork of this.#running.values()) fork.events.orphaned();
    this.#running.clear();
  }

  /** @param {number} id of an order that has been answered, or will not be */
  #takeOrdered(id) {
    const { fork, timer } = this.#ordered.get(id) ?? {};
    clearTimeout(timer);
    this.#ordered.delete(id);
    return fork;
  }

  /** Sends orders until the socket's buffer is full. Every reply shows that there is space again. */
  #flush() {
    while (this.#backlog.length > 0 && !this.#socket.destroyed) {
      const [{ id, bytes, channel }] = this.#backlog;
      try {
        if (this.#addon.sendDescriptors(this.#control, bytes, [channel]) === 0) return;
      } catch (error) {
        if (isClosed(error)) return; // end() refuses the orders
        const fork = this.#takeOrdered(id);
        queueMicrotask(() => fork?.events.refused(sendFailed(error)));
      }
      this.#backlog.shift();
      this.#addon.closeDescriptor(channel);
    }
  }
}

/** For an order that was not answered before the zygote ended. */
const zygoteDied = () =>
  new PitvError('PITV_ZYGOTE_DIED', 'The zygote ended before it could fork.');

/** Whether an error of sendDescriptors() means that the other side has ended. @param {unknown} error */
export function isClosed(error) {
  const errno = Number(Reflect.get(Object(error), 'errno'));
  return errno > 0 && CLOSED_ERRORS.has(getSystemErrorName(-errno));
}

/** For any other error of it, which concerns one child. @param {unknown} cause */
export const sendFailed = (cause) =>
  new PitvError('PITV_ZYGOTE_FORK', `The request could not be sent: ${messageOf(cause)}`, {
    cause,
  });

/** @param {number} errno */
function forkFailed(errno) {
  const sentence = `fork() failed: ${getSystemErrorName(-errno)} (errno ${errno}).`;
  return new PitvError('PITV_ZYGOTE_FORK', sentence, { details: { errno } });
}
