/**
 * Controls an emulated board: starts it, waits for output, runs commands, powers it off, cuts the power. QEMU ends with
 * cut() or with this process.
 */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { EventEmitter, once } from 'node:events';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PitvError } from '../../app/errors.js';
import { freePort } from '../../bench/harness/free-ports.js';
import { commandLine, machineKind, qemuArguments } from './machines.js';
import { Qmp, plugIn } from './qmp.js';

const STDERR_CHARACTERS = 2000;
/** The file descriptor of QEMU's control. */
const QMP_FD = 3;
/** An emulated board is slow, especially on a busy machine. */
const TIMEOUT_MS = 15 * 60_000;
/** The longest time of a timer. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Prepares the root shell on the serial line, which answers READY. Disables messages of the kernel and of systemd
 * (SIGRTMIN+21, which needs no D-Bus), which would be mixed with output. So wait for such messages before the first
 * command.
 */
const OPEN = `stty -echo cols 1000;PS1=;PS2=;dmesg -n 1;systemctl kill -s SIGRTMIN+21 init.scope;echo "<ready"'>'\n`;
const READY = /<ready>/;

/**
 * Writes the line that runs a command. Command and output are encoded, because the terminal changes line ends and
 * kernel messages can appear in between.
 * @param {string} id of the command
 * @param {string} command for sh
 */
function shellLine(id, command) {
  const text = Buffer.from(command).toString('base64');
  const guarded = `{ echo ${text}|base64 -d|sh 2>&1; echo $? >&3; }|gzip -9|base64 -w0 >&4`;
  return `printf '<${id}:';{ s=$({ ${guarded}; } 3>&1); } 4>&1;echo '>';echo "<${id}=$s>"\n`;
}

/**
 * @typedef {object} MachineOptions
 * @property {string} board armhf, armel or arm64
 * @property {string} [machine] as in MACHINES
 * @property {number} [port] port of 127.0.0.1 that leads to the TV; any free one by default
 * @property {boolean} [network] false: no network cable
 * @property {{width: number, height: number}} [screen] a screen of so many pixels and a keyboard, on virt
 * @property {boolean} [shell] whether run() has a root shell on the serial line; true by default
 * @property {boolean} [counting] one core, whose clock counts its instructions. So no timeout expires in the board when
 *   this machine is slow, and a start takes two thirds of the time with several cores, which wait for each other
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
  /** Resolves when the network is there. */
  networkPlugged = Promise.resolve();
  /** QEMU's control, if there is a screen or a USB network. @type {Qmp | undefined} */
  qmp;

  /**
   * @param {import('node:child_process').ChildProcessWithoutNullStreams} child
   * @param {number} port of 127.0.0.1 that leads to the TV
   * @param {MachineOptions} options
   */
  constructor(child, port, options) {
    this.#child = child;
    this.port = port;
    this.startedAt = performance.now();
    const log = createWriteStream(options.log ?? '/dev/null', { flags: 'a' });
    child.stdout.setEncoding('utf8').on('data', (text) => {
      this.console += text;
      log.write(text);
      options.onOutput?.(text);
      this.#changes.emit('change');
    });
    child.stderr
      .setEncoding('utf8')
      .on('data', (text) => (this.#errors = (this.#errors + text).slice(-STDERR_CHARACTERS)));
    child.stdin.on('error', () => {}); // QEMU has ended
    child.once('close', (code, signal) => {
      log.end(() => {
        this.#ended = { code, signal };
        this.#changes.emit('change');
      });
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
    const { words: more, ...boot } = await disk.getBootFiles(kind);
    const words = [
      ...more,
      ...(options.counting ? kind.oneCore.append : []),
      ...(options.append ?? []),
    ];
    if (options.shell !== false) words.unshift(`systemd.debug_shell=${kind.console.split(',')[0]}`);
    const append = commandLine(kind, await disk.read('cmdline.txt'), words);
    const port = options.port ?? (await freePort());
    const usbNetwork = !kind.isVirtual && options.network !== false;
    const hasQmp = usbNetwork || options.screen !== undefined;
    const what = { ...boot, disk: disk.file, append, port, qmp: hasQmp ? QMP_FD : undefined };
    // setpriv makes the kernel end QEMU when this process is killed.
    const args = ['--pdeathsig', 'KILL', '--', kind.qemu, ...qemuArguments(kind, what, options)];
    const child = spawn('setpriv', args, { stdio: Array(QMP_FD + 1).fill('pipe') });
    const machine = new Machine(/** @type {any} */ (child), port, options);
    await once(child, 'spawn');
    if (hasQmp) machine.qmp = new Qmp(/** @type {any} */ (child.stdio[QMP_FD]));
    if (machine.qmp && usbNetwork) machine.networkPlugged = plugIn(machine, machine.qmp);
    machine.networkPlugged.catch(() => {}); // handled where it is awaited
    return machine;
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
  waitFor(pattern, { timeoutMs = TIMEOUT_MS, from = 0 } = {}) {
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
   * @param {{check?: boolean}} [options] check: fail when the status is not 0; true by default
   * @returns {Promise<{status: number, output: string}>} output: standard output and standard error
   * @throws {PitvError} PITV_QEMU_COMMAND, and the errors of waitFor()
   */
  async run(command, { check = true } = {}) {
    await this.#openShell();
    const id = `pitv${++this.#serial}`;
    const from = this.mark();
    this.type(shellLine(id, command));
    const answer = new RegExp(`<${id}:([^>]*)>[^]*?<${id}=(\\d+)>`);
    const [, packed, status] = await this.waitFor(answer, { from });
    const bytes = await promisify(gunzip)(Buffer.from(packed, 'base64')).catch((cause) => {
      throw new PitvError('PITV_QEMU_COMMAND', 'The output of a command is damaged.', { cause });
    });
    const output = bytes.toString();
    if (check && status !== '0') {
      throw new PitvError('PITV_QEMU_COMMAND', `"${command}" ended with ${status}: ${output}`);
    }
    return { status: Number(status), output };
  }

  async #openShell() {
    if (this.#shellReady) return;
    await this.waitFor(/Started.*debug-shell\.service/);
    const from = this.mark();
    // What is typed before the shell listens is lost.
    const open = () => this.type(OPEN);
    const timer = setInterval(open, 3000);
    open();
    await this.waitFor(READY, { from }).finally(() => clearInterval(timer));
    this.#shellReady = true;
  }

  /**
   * Shuts the system down and waits until the machine is off.
   * @returns {Promise<string>} the serial line's text during the shutdown
   */
  async powerOff() {
    const from = this.mark();
    await this.run('systemctl --no-block poweroff').catch((error) => {
      if (error.code !== 'PITV_QEMU_ENDED') throw error; // off before it could answer
    });
    await this.ended();
    return this.console.slice(from);
  }

  /** Waits until the machine is off. @param {{timeoutMs?: number}} [options] */
  ended({ timeoutMs = TIMEOUT_MS } = {}) {
    return this.#wait(() => this.#ended, 'the machine was off', timeoutMs);
  }

  /** Cuts the power, if the machine is not off: nothing more is written. */
  async cut() {
    this.#child.kill('SIGKILL');
    await this.ended();
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
