/** QEMU Machine Protocol (QMP): JSON lines over a socket, with an answer to each command. */
import { once } from 'node:events';
import net from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError } from '../../app/errors.js';

const RETRY_MS = 50;

export class Qmp {
  /** @type {((answer: any) => void)[]} oldest first; QEMU answers in order */
  #pending = [];

  /** @param {net.Socket} socket */
  constructor(socket) {
    this.socket = socket.unref();
    createInterface({ input: socket }).on('line', (line) => {
      const answer = JSON.parse(line);
      if ('return' in answer || 'error' in answer) this.#pending.shift()?.(answer);
    });
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => {
      const error = { class: 'Gone', desc: 'QEMU has ended' };
      for (const settle of this.#pending.splice(0)) settle({ error });
    });
  }

  /**
   * Connects to a QEMU that is starting.
   * @param {string} path of its socket
   * @param {() => boolean} alive returns false if QEMU has ended
   * @returns {Promise<Qmp>}
   * @throws {PitvError} PITV_QEMU_ENDED
   */
  static async connect(path, alive) {
    for (;;) {
      const socket = net.connect(path);
      try {
        await once(socket, 'connect');
        const qmp = new Qmp(socket);
        await qmp.execute('qmp_capabilities');
        return qmp;
      } catch (cause) {
        socket.destroy();
        if (!alive()) throw new PitvError('PITV_QEMU_ENDED', 'QEMU has ended.', { cause });
        await delay(RETRY_MS);
      }
    }
  }

  /**
   * Executes a command.
   * @param {string} command @param {Record<string, unknown>} [args]
   * @returns {Promise<unknown>}
   * @throws {PitvError} PITV_QEMU_REFUSED
   */
  async execute(command, args) {
    const answer = await new Promise((resolve) => {
      this.#pending.push(resolve);
      this.socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    });
    if (!answer.error) return answer.return;
    throw new PitvError('PITV_QEMU_REFUSED', `QEMU: ${command}: ${answer.error.desc}`);
  }

  close() {
    this.socket.destroy();
  }
}
