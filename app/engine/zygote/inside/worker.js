/** The child's end of the channel to the main process. */
import { EventEmitter } from 'node:events';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { native } from '../../../native/native.js';
import { KIND, createReader, encode } from '../channel.js';

/**
 * Emits 'message' (value), and 'disconnect' when the main process has closed the channel. Like an IPC channel of Node,
 * it keeps the child alive while 'message' has a listener.
 */
export class Worker extends EventEmitter {
  #fd;
  /** @type {Socket | undefined} */
  #socket;

  /** @param {number} fd @param {{id: number, name: string, descriptors: number[]}} about */
  constructor(fd, { id, name, descriptors }) {
    super();
    this.#fd = fd;
    this.id = id;
    this.name = name;
    /** The descriptors that were passed to fork(), in the same order. */
    this.descriptors = descriptors;
    this.on('newListener', (event) => {
      if (event === 'message' || event === 'disconnect') this.#open();
      if (event === 'message') this.#socket?.ref();
    });
    this.on('removeListener', (event) => {
      if (event === 'message' && this.listenerCount('message') === 0) this.#socket?.unref();
    });
  }

  /** Opens a socket on the first listener. Without one, send() writes to the descriptor, which starts faster. */
  #open() {
    if (this.#socket) return;
    const socket = new Socket({ fd: this.#fd, readable: true, writable: true });
    const read = createReader((kind, value) => {
      if (kind === KIND.message) this.emit('message', value);
    });
    socket.on('data', read);
    socket.on('error', () => {}); // the main process has ended: 'close' follows
    socket.on('close', () => this.emit('disconnect'));
    socket.unref();
    this.#socket = socket;
  }

  /**
   * Sends a message to the main process.
   * @param {unknown} value structured-clonable
   * @returns {boolean} false when the buffer is full or the channel is closed
   * @throws {Error} when the value cannot be cloned
   */
  send(value) {
    return this.#write(encode(KIND.message, value));
  }

  /**
   * Sends a report to the main process.
   * @param {number} kind one of KIND, except `message` @param {unknown} [value] see encode()
   * @returns {boolean} false when the buffer is full or the channel is closed
   */
  report(kind, value) {
    return this.#write(encode(kind, value));
  }

  /** @param {Buffer} bytes */
  #write(bytes) {
    if (this.#socket) return this.#socket.writable && this.#socket.write(bytes);
    return native().writeAll(this.#fd, bytes); // fs.writeSync() is in more pages, which a child would map
  }

  /**
   * Sends a report before this process ends: its error, or its exit status, for the case that the zygote has died and
   * cannot report it. It is lost if an earlier message has not been written completely.
   * @param {number} kind one of KIND @param {unknown} value see encode()
   */
  reportLast(kind, value) {
    if (this.#socket && (this.#socket.writableLength > 0 || !this.#socket.writable)) return;
    try {
      writeSync(this.#fd, encode(kind, value));
    } catch {
      // The channel is closed or the buffer is full.
    }
  }
}
