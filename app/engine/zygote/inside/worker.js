/** What the module in a child has of the main process: its conversation. */
import { EventEmitter } from 'node:events';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { describeFailure } from '../../failure.js';
import { KIND, encode, reader, writeAllSync } from '../channel.js';

/**
 * @typedef {object} WorkerEvents
 * @property {[value: any]} message
 * @property {[]} disconnect the main process has closed the conversation
 */

/**
 * Emits 'message' and 'disconnect'. Like a process's IPC channel, it keeps the child alive as long as
 * somebody listens to 'message'.
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
    /** Those that were passed to fork(), in that order. */
    this.descriptors = descriptors;
    this.on('newListener', (event) => {
      if (event === 'message' || event === 'disconnect') this.#open();
      if (event === 'message') this.#socket?.ref();
    });
    this.on('removeListener', (event) => {
      if (event === 'message' && this.listenerCount('message') === 0) this.#socket?.unref();
    });
  }

  /** Until somebody listens there is no need of a socket: writing waits, and costs next to nothing. */
  #open() {
    if (this.#socket) return;
    const socket = new Socket({ fd: this.#fd, readable: true, writable: true });
    const read = reader((kind, value) => {
      if (kind === KIND.message) this.emit('message', value);
    });
    socket.on('data', read);
    socket.on('error', () => {}); // the main process went away: 'close' follows
    socket.on('close', () => this.emit('disconnect'));
    socket.unref();
    this.#socket = socket;
  }

  /**
   * @param {unknown} value structured-clonable
   * @returns {boolean} false: wait before sending more, or nobody is there
   * @throws {Error} when the value can't be cloned
   */
  send(value) {
    const bytes = encode(KIND.message, value);
    if (this.#socket) return this.#socket.writable && this.#socket.write(bytes);
    try {
      writeAllSync(this.#fd, bytes);
      return true;
    } catch (error) {
      if (['EPIPE', 'ECONNRESET'].includes(String(Reflect.get(Object(error), 'code'))))
        return false;
      throw error;
    }
  }

  /**
   * The last word, in case the zygote is dead and can't tell.
   * @param {number} code exit status
   */
  leave(code) {
    this.#writeLast(encode(KIND.leaving, code));
  }

  /**
   * Tells what ends this process. After a message that is still on its way there is no room for it.
   * @param {unknown} thrown
   */
  fail(thrown) {
    this.#writeLast(encode(KIND.failed, describeFailure(thrown)));
  }

  /** @param {Buffer} bytes */
  #writeLast(bytes) {
    if (this.#socket && (this.#socket.writableLength > 0 || !this.#socket.writable)) return;
    try {
      writeSync(this.#fd, bytes);
    } catch {
      // Nobody is there, or there is no room.
    }
  }
}
