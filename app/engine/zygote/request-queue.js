/**
 * Sends requests to a zygote and matches its replies to them.
 *
 * A request waits in the backlog while the socket's buffer is full. A fork request is answered by 'forked' or 'failed';
 * the child's exit follows later. A zygote that does not answer in time is reported to `onTimeout`.
 */
import { getSystemErrorName } from 'node:util';
import { PitvError, messageOf } from '../../errors.js';
import { native } from '../../native/native.js';
import { REPLY } from './records.js';

/** Errors of sendmsg(2) after the zygote has ended. Any other error concerns a single request. */
const CLOSED_ERRORS = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'ECONNREFUSED']);
/** A zygote answers within milliseconds. One that takes this long does not work any more. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * @typedef {object} ChildEvents
 * @property {() => void} sent the descriptors have been sent and may be closed in this process
 * @property {(pid: number) => void} forked
 * @property {(error: Error) => void} failed there is no child. PITV_ZYGOTE_DIED: another zygote may be asked
 * @property {(reply: import('./records.js').Reply) => void} exited
 * @property {() => void} orphaned the zygote died, so no reply will report the child's exit
 *
 * @typedef {{id: number, bytes: Buffer, descriptors: number[], events: ChildEvents}} OutgoingRequest
 */

export class RequestQueue {
  #addon = native();
  #control;
  #isOpen;
  #onTimeout;
  /**
   * Requested or running children by request id; timer: of a fork request without an answer.
   * @type {Map<number, {events: ChildEvents, timer?: NodeJS.Timeout}>}
   */
  #children = new Map();
  /** @type {OutgoingRequest[]} */
  #backlog = [];
  #ended = false;

  /**
   * @param {number} control descriptor of the socket
   * @param {() => boolean} isOpen returns false when the descriptor has been closed
   * @param {() => void} onTimeout is called for a late answer
   */
  constructor(control, isOpen, onTimeout) {
    this.#control = control;
    this.#isOpen = isOpen;
    this.#onTimeout = onTimeout;
  }

  /**
   * Requests a child.
   * @param {number} id @param {Buffer} bytes see encodeRequest()
   * @param {number[]} descriptors
   * @param {ChildEvents} events only `sent` may be called before this function returns
   */
  fork(id, bytes, descriptors, events) {
    if (this.#ended) {
      events.sent();
      queueMicrotask(() => events.failed(zygoteDied()));
      return;
    }
    const timer = setTimeout(this.#onTimeout, ANSWER_TIMEOUT_MS);
    this.#children.set(id, { events, timer });
    this.#backlog.push({ id, bytes, descriptors, events });
    if (this.#backlog.length === 1) this.#flush();
  }

  /** Handles a reply of the zygote. @param {import('./records.js').Reply} reply */
  onReply(reply) {
    const { kind, id } = reply;
    const { events, timer } = this.#children.get(id) ?? {};
    clearTimeout(timer);
    if (kind === REPLY.forked && events) {
      this.#children.set(id, { events });
      events.forked(reply.pid);
    } else {
      this.#children.delete(id);
      if (kind === REPLY.failed) events?.failed(forkFailed(reply.value));
      else events?.exited(reply);
    }
    this.#flush();
  }

  /** Fails all open requests and reports the running children as orphaned. Call it when the zygote has ended. */
  end() {
    this.#ended = true;
    for (const { events } of this.#backlog.splice(0)) events.sent();
    const children = [...this.#children.values()];
    this.#children.clear();
    for (const { events, timer } of children) {
      clearTimeout(timer);
      if (timer) events.failed(zygoteDied());
      else events.orphaned();
    }
  }

  /** Sends requests until the socket's buffer is full. Every reply shows that there is space again. */
  #flush() {
    while (this.#backlog.length > 0 && this.#isOpen()) {
      const [{ id, bytes, descriptors, events }] = this.#backlog;
      try {
        if (!this.#addon.sendRequest(this.#control, bytes, descriptors)) return;
      } catch (error) {
        if (CLOSED_ERRORS.has(errnoName(error))) return; // end() fails the requests
        clearTimeout(this.#children.get(id)?.timer);
        this.#children.delete(id);
        const sentence = `The request could not be sent to the zygote: ${messageOf(error)}`;
        const failure = new PitvError('PITV_ZYGOTE_FORK', sentence, { cause: error });
        queueMicrotask(() => events.failed(failure));
      }
      this.#backlog.shift();
      events.sent();
    }
  }
}

/** For a request that was not answered before the zygote ended. */
const zygoteDied = () =>
  new PitvError('PITV_ZYGOTE_DIED', 'The zygote ended before it could fork.');

/** Returns the name of an addon error's errno (ENOMEM, ...), or '' without one. @param {unknown} error */
function errnoName(error) {
  const errno = Number(Reflect.get(Object(error), 'errno'));
  return errno > 0 ? getSystemErrorName(-errno) : '';
}

/** @param {number} errno */
function forkFailed(errno) {
  const sentence = `fork() failed: ${getSystemErrorName(-errno)} (errno ${errno}).`;
  return new PitvError('PITV_ZYGOTE_FORK', sentence, { details: { errno } });
}
