/** Datagrams received by Node's own sockets on this thread, for where there is no addon. */
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { overflowsOf } from './overflows.js';
import { OUTCOMES } from './outcomes.js';
import { PadTable } from './pad-table.js';

/** @typedef {import('./receiver.js').Receiver} Receiver */

/** @implements {Receiver} */
export class DgramReceiver {
  backend = /** @type {const} */ ('dgram');
  count = 1;
  port = 0;
  #outcomes = new Array(OUTCOMES.length).fill(0);
  #overflows = 0;
  #table;
  #socket;
  #closed = false;

  /**
   * @param {import('node:dgram').Socket} socket bound
   * @param {import('./receiver.js').ReceiverOptions} options
   */
  constructor(socket, { perSecond }) {
    this.#table = new PadTable(perSecond);
    this.#socket = socket;
    this.port = socket.address().port;
    socket.on('message', (bytes) => {
      this.#outcomes[this.#table.take(bytes, performance.now())]++;
    });
    socket.on('error', () => {}); // what some router reported is no reason to stop
  }

  /**
   * @param {import('./receiver.js').ReceiverOptions & {address: string}} options
   * @returns {Promise<DgramReceiver>}
   * @throws {NodeJS.ErrnoException}
   */
  static async open(options) {
    const { address, port, bufferBytes } = options;
    const type = isIPv6(address) ? 'udp6' : 'udp4';
    const size = bufferBytes > 0 ? { recvBufferSize: bufferBytes } : {};
    const socket = createSocket({ type, ...size });
    await new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address, port, exclusive: true }, () => resolve(undefined));
    }).catch((error) => {
      socket.close();
      throw error;
    });
    socket.removeAllListeners('error');
    return new DgramReceiver(socket, options);
  }

  /** @param {number} pad @param {Uint8Array} key */
  add(pad, key) {
    this.#table.add(pad, key);
  }

  /** @param {number} pad */
  remove(pad) {
    this.#table.remove(pad);
  }

  /** @param {number} pad @param {import('./receiver.js').Seat} seat */
  seat(pad, seat) {
    this.#table.seat(pad, seat);
  }

  /** @param {number} pad */
  unseat(pad) {
    this.#table.seat(pad, undefined);
  }

  /** @param {number} pad */
  heard(pad) {
    return this.#table.heard(pad, performance.now());
  }

  counters() {
    if (!this.#closed) this.#overflows = overflowsOf(this.port).reduce((sum, n) => sum + n, 0);
    return [{ outcomes: [...this.#outcomes], overflows: this.#overflows }];
  }

  async close() {
    if (this.#closed) return;
    this.counters();
    this.#closed = true;
    await new Promise((resolve) => this.#socket.close(() => resolve(undefined)));
  }
}
