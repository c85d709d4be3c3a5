/**
 * QEMU Machine Protocol (QMP): JSON lines with an answer to each command; and the network adapter of a board, which is
 * plugged in by it.
 */
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError } from '../../app/errors.js';
import { NETDEV } from './machines.js';

export class Qmp {
  /** @type {((answer: any) => void)[]} oldest first; QEMU answers in order */
  #pending = [];

  /** @param {import('node:stream').Duplex} stream to a QEMU that may still be starting */
  constructor(stream) {
    this.stream = stream;
    const lines = createInterface({ input: stream }).on('line', (line) => {
      const answer = JSON.parse(line);
      if ('return' in answer || 'error' in answer) this.#pending.shift()?.(answer);
    });
    for (const each of [stream, lines]) each.on('error', () => {}); // 'close' follows
    stream.on('close', () => {
      const error = { class: 'Gone', desc: 'QEMU has ended' };
      for (const settle of this.#pending.splice(0)) settle({ error });
    });
    this.execute('qmp_capabilities').catch(() => {}); // the next command fails, too
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
      this.stream.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    });
    if (!answer.error) return answer.return;
    throw new PitvError('PITV_QEMU_REFUSED', `QEMU: ${command}: ${answer.error.desc}`);
  }
}

const PORT = /hub \d-0:1\.0: \d+ ports? detected/;
/** What the kernel says of the adapter. The group is there if it has been detected. */
const OUTCOME = /(usb0: register ')|unable to enumerate USB device|can't set config|Not connected/;
/** Time in which the kernel detects the adapter or reports a failure. */
const DETECT_MS = 60_000;
const UNPLUGGED_MS = 500;
const MAX_ATTEMPTS = 20;

/**
 * Plugs in the network adapter until it is detected. The adapter of QEMU's Raspberry Pis is a USB device. If it is
 * plugged in at the start, it is often not detected, because the kernel's driver (dwc2) finds the port empty during its
 * reset. So it is plugged in after the port has been detected, and unplugged and plugged in again until the adapter is
 * detected.
 * @param {import('./machine.js').Machine} machine
 * @param {Qmp} qmp
 * @throws {import('../../app/errors.js').PitvError} PITV_QEMU_ENDED, PITV_QEMU_TIMEOUT
 */
export async function plugIn(machine, qmp) {
  await machine.waitFor(PORT, { timeoutMs: 2 ** 31 - 1 });
  for (let attempt = 1; ; attempt++) {
    const from = machine.mark();
    const id = `${NETDEV}${attempt}`;
    await qmp.execute('device_add', { driver: 'usb-net', netdev: NETDEV, id });
    const found = await machine.waitFor(OUTCOME, { from, timeoutMs: DETECT_MS }).catch((error) => {
      if (error.code === 'PITV_QEMU_ENDED' || attempt === MAX_ATTEMPTS) throw error;
      return [];
    });
    if (found[1]) return;
    await qmp.execute('device_del', { id });
    await delay(UNPLUGGED_MS);
  }
}
