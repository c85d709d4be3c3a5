/** The main process's end of the conversation with one child. */
import { Socket } from 'node:net';
import { restoreFailure } from '../failure.js';
import { KIND, createReader, encode, sendFirst } from './channel.js';

/**
 * @typedef {object} ChannelEvents
 * @property {() => void} started the module's code runs in the child
 * @property {(value: unknown) => void} message
 * @property {(error: Error) => void} failed the child reported an error that ends it
 * @property {(error: Error) => void} unreadable a message cannot be decoded or is too long; the channel is closed
 * @property {() => void} closed
 */

export class ChildChannel {
  #fd;
  #socket;
  /** The exit status that the child announced before it exited. @type {number | undefined} */
  announcedCode;
  /** The error that the child reported, or why its message could not be read. @type {Error | undefined} */
  failure;

  /**
   * @param {number} fd this end of a socket pair; the channel closes it
   * @param {number | undefined} maxMessageBytes bound of one message from the child
   * @param {ChannelEvents} events
   */
  constructor(fd, maxMessageBytes, events) {
    this.#fd = fd;
    const socket = new Socket({ fd, readable: true, writable: true });
    const read = createReader((kind, value) => this.#onValue(kind, value, events), maxMessageBytes);
    socket.on('data', (chunk) => {
      try {
        read(chunk);
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== 'PITV_ZYGOTE_MESSAGE') throw error;
        this.failure = /** @type {Error} */ (error);
        events.unreadable(this.failure);
        socket.destroy();
      }
    });
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => events.closed());
    this.#socket = socket;
  }

  /** True once the channel has been closed, even if `closed` has not been called yet. */
  get destroyed() {
    return this.#socket.destroyed;
  }

  /** @param {number} kind @param {any} value @param {ChannelEvents} events */
  #onValue(kind, value, events) {
    if (kind === KIND.message) events.message(value);
    else if (kind === KIND.started) events.started();
    else if (kind === KIND.exiting)
      this.announcedCode = Number.isInteger(value) ? value : undefined;
    else if (kind === KIND.failed) events.failed((this.failure = restoreFailure(value)));
  }

  /** Sends the request that the child waits for. @param {Buffer} bytes */
  sendRequest(bytes) {
    sendFirst(this.#socket, this.#fd, bytes);
  }

  /**
   * Sends a message.
   * @param {unknown} value structured-clonable
   * @returns {boolean} false when the buffer is full or the channel is closed
   * @throws {Error} when the value cannot be cloned
   */
  send(value) {
    const bytes = encode(KIND.message, value);
    return this.#socket.writable && this.#socket.write(bytes);
  }

  /** Lets this process end while the channel is open. */
  ref() {
    this.#socket.ref();
  }

  unref() {
    this.#socket.unref();
  }

  /** Closes this direction; the child emits 'disconnect'. */
  end() {
    this.#socket.end();
  }

  /** Closes the channel at once. */
  destroy() {
    this.#socket.destroy();
  }
}
