/**
 * Controls an emulated board: starts it, waits for output, runs commands, powers it off, cuts the power. QEMU ends with
 * cut() or with this process.
 */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { PitvError } from '../../app/errors.js';
import { freePort } from '../../bench/harness/free-ports.js';
import { commandLine, machineKind, qemuArguments } from './machines.js';
import { Qmp, plugIn } from './qmp.js';
import { OPEN, READY, commandLineOf, endOf, outputOf } from './serial-shell.js';

const STDERR_CHARACTERS = 2000;
/** The longest time of a timer. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * @typedef {object} MachineOptions
 * @property {string} board armhf, armel or arm64
 * @property {string} [machine] as in MACHINES
 * @property {number[]} [ports] TCP ports of the guest to forward; see Machine.port()
 * @property {Record<number, number>} [hostPorts] guest's port -> port of this machine; any free one by default
 * @property {boolean} [network] false: no network cable
 * @property {{width: number, height: number}} [screen] a screen of so many pixels and a keyboard, on virt; see
 *   qmp.js
 * @property {boolean} [shell] whether run() has a root shell on the serial line; true by default
 * @property {string[]} [append] words for the kernel's command line
 * @property {string[]} [qemu] more arguments of QEMU
 * @property {string} [log] file to append the serial line's text to
 * @property {(text: string) => void} [onOutput]
 */

export class Machine {
  /** The text of the serial line. */
  console = '';
  /** @type {import('node:child_process').ChildProcessWithoutNullStreams} */
  #child;
  #errors = '';
  #serial = 0;
  /** Emits `change` when the board has written something, and when it has ended. */
  #changes = new EventEmitter();
  /** @type {{code: number | null, signal: string | null} | undefined} */
  #ended;
  #shellReady = false;
  /** Resolves when the network is there, to the number of times it was plugged in. @type {Promise<number>} */
  networkPlugged = Promise.resolve(0);
  /** QEMU's control, if there is a screen or a USB network. @type {Promise<Qmp> | undefined} */
  qmp;
  /** Commands run one at a time. @type {Promise<unknown>} */
  #queue = Promise.resolve();

  /**
   * @param {import('node:child_process').ChildProcessWithoutNullStreams} child
   * @param {Map<number, number>} ports
   * @param {MachineOptions} options
   */
  constructor(child, ports, options) {
    this.#child = child;
    this.ports = ports;
    this.startedAt = performance.now();
    const log = options.log ? createWriteStream(options.log, { flags: 'a' }) : undefined;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      this.console += text;
      log?.write(text);
      options.onOutput?.(text);
      this.#changes.emit('change');
    });
    child.stderr
      .setEncoding('utf8')
      .on('data', (text) => (this.#errors = (this.#errors + text).slice(-STDERR_CHARACTERS)));
    child.stdin.on('error', () => {}); // QEMU has ended
    child.once('close', (code, signal) => {
      const end = () => {
        this.#ended = { code, signal };
        this.#changes.emit('change');
      };
      if (log) log.end(end);
      else end();
    });
  }

  /**
   * Starts a board.
   * @param {import('./disk.js').Disk} disk
   * @param {MachineOptions} options
   * @returns {Promise<Machine>}
   */
  static async start(disk, options) {
    const kind = machineKind(options.board, options.machine);
    const file = (/** @type {string} */ name) => join(disk.folder, name);
    const { words: more, ...boot } = await disk.getBootFiles(kind);
    const words = [...more, ...(options.append ?? [])];
    if (options.shell !== false) words.unshift(`systemd.debug_shell=${kind.console.split(',')[0]}`);
    const append = commandLine(kind, await disk.read('cmdline.txt'), words);
    /** @type {Map<number, number>} */
    const ports = new Map();
    for (const guest of options.ports ?? []) {
      ports.set(guest, options.hostPorts?.[guest] ?? (await freePort()));
    }
    const usbNetwork = !kind.isVirtual && options.network !== false;
    const qmp = usbNetwork || options.screen ? file('qmp') : undefined;
    const what = { ...boot, disk: disk.file, append, ports, qmp };
    const args = qemuArguments(kind, what, options);
    // setpriv makes the kernel end QEMU when this process is killed.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', kind.qemu, ...args]);
    const machine = new Machine(child, ports, options);
    await once(child, 'spawn');
    if (!qmp) return machine;
    machine.qmp = Qmp.connect(qmp, () => machine.running);
    if (usbNetwork) machine.networkPlugged = machine.qmp.then((line) => plugIn(machine, line));
    for (const each of [machine.qmp, machine.networkPlugged]) each.catch(() => {}); // handled where they are awaited
    return machine;
  }

  get running() {
    return this.#ended === undefined;
  }

  /** Returns the port of 127.0.0.1 that leads to a port of the guest. @param {number} guest @returns {number} */
  port(guest) {
    const host = this.ports.get(guest);
    if (host === undefined)
      throw new PitvError('PITV_QEMU_PORT', `Port ${guest} is not forwarded.`);
    return host;
  }

  /** Milliseconds since the start. */
  get ageMs() {
    return performance.now() - this.startedAt;
  }

  /**
   * Waits for a text on the serial line.
   * @param {RegExp} pattern
   * @param {{timeoutMs?: number, from?: number}} [options] from: the mark() to search from
   * @returns {Promise<RegExpExecArray>}
   * @throws {PitvError} PITV_QEMU_ENDED, PITV_QEMU_TIMEOUT, both with the end of the serial line's text
   */
  waitFor(pattern, { timeoutMs = 600_000, from = 0 } = {}) {
    return this.#wait(() => pattern.exec(this.console.slice(from)), String(pattern), timeoutMs);
  }

  /**
   * Waits until a function returns something.
   * @template T
   * @param {() => T | null | undefined} find @param {string} what for the error @param {number} timeoutMs
   * @returns {Promise<T>}
   */
  async #wait(find, what, timeoutMs) {
    const signal = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const found = find();
      if (found) return found;
      if (this.#ended) throw this.#failure('PITV_QEMU_ENDED', `The machine ended before ${what}`);
      await once(this.#changes, 'change', { signal }).catch(() => {
        throw this.#failure('PITV_QEMU_TIMEOUT', `The time ran out before ${what}`);
      });
    }
  }

  /** @param {string} code @param {string} sentence */
  #failure(code, sentence) {
    return new PitvError(code, `${sentence}.\n${this.#errors}\n${this.console.slice(-3000)}`);
  }

  /** Returns the current end of the serial line's text, for waitFor(). */
  mark() {
    return this.console.length;
  }

  /** Types on the serial line. @param {string} text */
  type(text) {
    this.#child.stdin.write(text);
  }

  /**
   * Runs a command in the guest, as root.
   * @param {string} command for sh
   * @param {{timeoutMs?: number, check?: boolean}} [options] check: fail when the status is not 0; true by default
   * @returns {Promise<{status: number, output: string}>} output: standard output and standard error
   * @throws {PitvError} PITV_QEMU_COMMAND, and the errors of waitFor()
   */
  run(command, options = {}) {
    const turn = this.#queue.then(() => this.#run(command, options));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /** @param {string} command @param {{timeoutMs?: number, check?: boolean}} options */
  async #run(command, { timeoutMs = 300_000, check = true }) {
    await this.#openShell(timeoutMs);
    const id = `pitv${++this.#serial}`;
    const from = this.mark();
    this.type(commandLineOf(id, command));
    const [, status] = await this.waitFor(endOf(id), { timeoutMs, from });
    const output = outputOf(id, this.console.slice(from));
    if (check && status !== '0') {
      throw new PitvError('PITV_QEMU_COMMAND', `"${command}" ended with ${status}: ${output}`);
    }
    return { status: Number(status), output };
  }

  /** @param {number} timeoutMs */
  async #openShell(timeoutMs) {
    if (this.#shellReady) return;
    await this.waitFor(/Started.*debug-shell\.service/, { timeoutMs });
    const from = this.mark();
    // What is typed before the shell listens is lost.
    const open = () => this.type(OPEN);
    const timer = setInterval(open, 3000);
    open();
    await this.waitFor(READY, { timeoutMs, from }).finally(() => clearInterval(timer));
    this.#shellReady = true;
  }

  /**
   * Shuts the system down and waits until the machine is off.
   * @param {{timeoutMs?: number}} [options]
   * @returns {Promise<string>} the serial line's text during the shutdown
   */
  async powerOff({ timeoutMs = 300_000 } = {}) {
    const from = this.mark();
    await this.run('systemctl --no-block poweroff', { timeoutMs }).catch((error) => {
      if (error.code !== 'PITV_QEMU_ENDED') throw error; // off before it could answer
    });
    await this.ended({ timeoutMs });
    return this.console.slice(from);
  }

  /** Waits until the machine is off. @param {{timeoutMs?: number}} [options] */
  ended({ timeoutMs = 300_000 } = {}) {
    return this.#wait(() => this.#ended, 'the machine was off', timeoutMs);
  }

  /** Cuts the power, if the machine is not off: nothing more is written. */
  async cut() {
    this.#child.kill('SIGKILL');
    await this.ended({ timeoutMs: MAX_TIMEOUT_MS });
  }
}

/**
 * Starts a board for an action, and ends it afterwards.
 * @template T
 * @param {import('./disk.js').Disk} disk @param {MachineOptions} options
 * @param {(machine: Machine) => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withMachine(disk, options, action) {
  const machine = await Machine.start(disk, options);
  try {
    return await action(machine);
  } finally {
    await machine.cut();
  }
}
