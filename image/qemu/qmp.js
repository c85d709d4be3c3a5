/**
 * QEMU Machine Protocol (QMP): JSON lines over a socket, with an answer to each command; and the screen, the keyboard
 * and the network adapter of a board, which are controlled by it.
 */
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError } from '../../app/errors.js';
import { NETDEV } from './machines.js';

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
}

/**
 * @typedef {import('./machine.js').Machine} Machine a board; one with a screen was started with `screen`
 *
 * @typedef {object} Picture
 * @property {number} width @property {number} height px
 * @property {Buffer[]} lines from the top, each with red, green and blue of its pixels
 */

/**
 * Reads what the screen shows.
 * @param {Machine} machine @param {string} file for QEMU, which is removed
 * @returns {Promise<Picture>}
 */
export async function takePicture(machine, file) {
  await (await machine.qmp)?.execute('screendump', { filename: file });
  const bytes = await readFile(file);
  await rm(file);
  return parsePpm(bytes);
}

/** Parses a picture as QEMU writes it: PPM with three bytes per pixel. @param {Buffer} bytes @returns {Picture} */
function parsePpm(bytes) {
  const [head, ...size] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString('latin1', 0, 64)) ?? [];
  const [width, height] = size.map(Number);
  if (!head || bytes.length !== head.length + 3 * width * height) {
    throw new TypeError('this is not a whole PPM picture with three bytes per pixel');
  }
  const line = (/** @type {number} */ y) => head.length + 3 * width * y;
  const lines = Array.from({ length: height }, (_, y) => bytes.subarray(line(y), line(y + 1)));
  return { width, height, lines };
}

/** Presses a key. @param {Machine} machine @param {string} qcode QEMU's name of the key */
export async function press(machine, qcode) {
  const keys = [{ type: 'qcode', data: qcode }];
  await (await machine.qmp)?.execute('send-key', { keys });
}

const PORT = /hub \d-0:1\.0: \d+ ports? detected/;
const DETECTED = /usb0: register '/;
const NOT_DETECTED = /unable to enumerate USB device|can't set config|Not connected/;
/** Time in which the kernel detects the adapter or reports a failure. */
const DETECT_MS = 60_000;
const UNPLUGGED_MS = 500;
const MAX_ATTEMPTS = 20;

/**
 * Plugs in the network adapter until it is detected. The adapter of QEMU's Raspberry Pis is a USB device. If it is
 * plugged in at the start, it is often not detected, because the kernel's driver (dwc2) finds the port empty during its
 * reset. So it is plugged in after the port has been detected, and unplugged and plugged in again until the adapter is
 * detected.
 * @param {Machine} machine
 * @param {Qmp} qmp
 * @returns {Promise<number>} number of attempts
 * @throws {import('../../app/errors.js').PitvError} PITV_QEMU_ENDED, PITV_QEMU_TIMEOUT
 */
export async function plugIn(machine, qmp) {
  await machine.waitFor(PORT, { timeoutMs: 2 ** 31 - 1 });
  for (let attempt = 1; ; attempt++) {
    const from = machine.mark();
    const id = `${NETDEV}${attempt}`;
    await qmp.execute('device_add', { driver: 'usb-net', netdev: NETDEV, id });
    const either = new RegExp(`${DETECTED.source}|${NOT_DETECTED.source}`);
    const found = await machine.waitFor(either, { from, timeoutMs: DETECT_MS }).catch((error) => {
      if (error.code === 'PITV_QEMU_ENDED' || attempt === MAX_ATTEMPTS) throw error;
      return ['nothing'];
    });
    if (DETECTED.test(found[0])) return attempt;
    await qmp.execute('device_del', { id });
    await delay(UNPLUGGED_MS);
  }
}
