/**
 * One emulated board: start, wait for a line, run a command, power off, cut the power. Whatever
 * happens, its QEMU ends: with close(), with this process, or with the test that forgot.
 */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import net from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PitvError } from '../../app/errors.js';
import { NETDEV, commandLine, machineKind, qemuArguments } from './machines.js';
import { Qmp } from './qmp.js';
import { plugIn } from './usb-network.js';

const STDERR_CHARACTERS = 2000;
/** What is kept of the serial line; a whole boot has 50 kB. */
const CONSOLE_CHARACTERS = 4_000_000;

/**
 * Kernel and systemd say no more on the line: it would fall into answers. So wait for their lines before
 * the first command.
 */
const QUIET =
  'dmesg -n 1;busctl -q call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager SetShowStatus s no 2>/dev/null';

/**
 * @typedef {object} MachineOptions
 * @property {string} board armhf, armel or arm64
 * @property {string} [machine] as in MACHINES
 * @property {number[]} [ports] TCP ports of the guest that are to be reached; see Machine.port()
 * @property {Record<number, number>} [hostPorts] guest's port -> ours, any free one by default
 * @property {boolean} [network] false: no cable
 * @property {boolean} [shell] a root shell on the serial line, for run(); true by default
 * @property {string[]} [append] for the kernel's command line
 * @property {string[]} [qemu] more arguments of QEMU
 * @property {string} [log] file that gets everything the serial line says
 * @property {(text: string) => void} [onOutput]
 */

export class Machine {
  /** @type {import('node:child_process').ChildProcessWithoutNullStreams} */
  #child;
  #console = '';
  #errors = '';
  #serial = 0;
  #dropped = 0;
  /** @type {Set<() => void>} */
  #waiting = new Set();
  /** @type {{code: number | null, signal: string | null} | undefined} */
  #ended;
  /** @type {Promise<void>} */
  #end;
  #shellReady = false;
  /** How often the network had to be put in, when it is there. @type {Promise<number>} */
  networkPlugged = Promise.resolve(0);
  /** @type {Promise<unknown>} one command at a time */
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
      this.#console += text;
      if (this.#console.length > CONSOLE_CHARACTERS) {
        this.#dropped += this.#console.length - CONSOLE_CHARACTERS;
        this.#console = this.#console.slice(-CONSOLE_CHARACTERS);
      }
      log?.write(text);
      options.onOutput?.(text);
      this.#wake();
    });
    child.stderr
      .setEncoding('utf8')
      .on('data', (text) => (this.#errors = (this.#errors + text).slice(-STDERR_CHARACTERS)));
    child.stdin.on('error', () => {}); // it has ended
    const killer = () => child.kill('SIGKILL');
    process.once('exit', killer);
    this.#end = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        process.removeListener('exit', killer);
        this.#ended = { code, signal };
        log?.end();
        this.#wake();
        resolve();
      });
    });
  }

  /**
   * Switches a board on.
   * @param {import('./disk.js').Disk} disk
   * @param {MachineOptions} options
   * @returns {Promise<Machine>}
   */
  static async start(disk, options) {
    const kind = machineKind(options.board, options.machine);
    const file = (/** @type {string} */ name) => join(disk.folder, name);
    for (const name of ['vmlinuz', 'initrd.img', ...(kind.tree ? [kind.tree] : [])]) {
      await disk.get(name, file(name));
    }
    const shell =
      options.shell === false ? [] : [`systemd.debug_shell=${kind.console.split(',')[0]}`];
    const append = commandLine(kind, await disk.read('cmdline.txt'), [
      ...shell,
      ...(options.append ?? []),
    ]);
    /** @type {Map<number, number>} */
    const ports = new Map();
    for (const guest of options.ports ?? []) {
      ports.set(guest, options.hostPorts?.[guest] ?? (await freePort()));
    }
    const usbNetwork = kind.network === 'usb-net' && options.network !== false;
    const qmp = usbNetwork ? file('qmp') : undefined;
    const args = qemuArguments(kind, {
      qmp,
      disk: disk.file,
      kernel: file('vmlinuz'),
      initrd: file('initrd.img'),
      tree: kind.tree && file(kind.tree),
      append,
      forwards: [...ports].map(([guest, host]) => ({ guest, host })),
      network: options.network,
      more: options.qemu,
    });
    // setpriv: should this process be killed outright, the kernel ends QEMU as well.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', kind.qemu, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const machine = new Machine(child, ports, options);
    await once(child, 'spawn');
    if (qmp) {
      machine.networkPlugged = Qmp.connect(qmp, () => machine.running).then((line) =>
        plugIn(machine, line, NETDEV).finally(() => line.close()),
      );
      machine.networkPlugged.catch(() => {}); // of interest to whoever waits for it
    }
    return machine;
  }

  /** @returns {number | undefined} of QEMU */
  get pid() {
    return this.#child.pid;
  }

  /** Everything the serial line has said. */
  get console() {
    return this.#console;
  }

  get running() {
    return this.#ended === undefined;
  }

  /** @param {number} guest @returns {number} the port of 127.0.0.1 that leads to it */
  port(guest) {
    const host = this.ports.get(guest);
    if (host === undefined)
      throw new PitvError('PITV_QEMU_PORT', `Port ${guest} is not forwarded.`);
    return host;
  }

  /** Milliseconds since it was switched on. */
  get ageMs() {
    return performance.now() - this.startedAt;
  }

  #wake() {
    for (const wake of this.#waiting) wake();
  }

  /**
   * Waits until the serial line has said something.
   * @param {RegExp} pattern
   * @param {{timeoutMs?: number, from?: number}} [options] from: where to look, a mark()
   * @returns {Promise<RegExpExecArray>}
   * @throws {PitvError} PITV_QEMU_ENDED, PITV_QEMU_TIMEOUT, both with the end of what it said
   */
  waitFor(pattern, { timeoutMs = 600_000, from = 0 } = {}) {
    return new Promise((resolve, reject) => {
      const finish = (/** @type {() => void} */ settle) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        settle();
      };
      const look = () => {
        const match = pattern.exec(this.#console.slice(Math.max(0, from - this.#dropped)));
        if (match) finish(() => resolve(match));
        else if (this.#ended) finish(() => reject(this.#failure('PITV_QEMU_ENDED', pattern)));
      };
      const timer = setTimeout(
        () => finish(() => reject(this.#failure('PITV_QEMU_TIMEOUT', pattern))),
        timeoutMs,
      );
      this.#waiting.add(look);
      look();
    });
  }

  /** @param {string} code @param {RegExp} pattern */
  #failure(code, pattern) {
    const what = code === 'PITV_QEMU_ENDED' ? 'The machine ended' : 'The time was over';
    const said = this.#console.slice(-3000);
    return new PitvError(code, `${what} before ${pattern} was said.\n${this.#errors}\n${said}`);
  }

  /** A place in the serial line's text, for waitFor. */
  mark() {
    return this.#dropped + this.#console.length;
  }

  /** @param {string} text */
  type(text) {
    this.#child.stdin.write(text);
  }

  /**
   * Runs a command in the guest, as root.
   * @param {string} command for sh; its standard output is given back, and its standard error with it
   * @param {{timeoutMs?: number, check?: boolean}} [options] check: a status that is not 0 is an error
   * @returns {Promise<{status: number, output: string}>}
   * @throws {PitvError} PITV_QEMU_COMMAND and those of waitFor
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
    // Encoded both ways: the terminal in between changes line ends, and kernel messages fall in.
    const text = Buffer.from(command).toString('base64');
    const guarded = `{ echo ${text}|base64 -d|sh 2>&1; echo $? >&3; }|gzip -9|base64 -w0 >&4`;
    this.type(`printf '<${id}:';{ s=$({ ${guarded}; } 3>&1); } 4>&1;echo '>';echo "<${id}=$s>"\n`);
    const [, status] = await this.waitFor(new RegExp(`<${id}=(\\d+)>`), { timeoutMs, from });
    const said = this.#console.slice(Math.max(0, from - this.#dropped));
    const [, packed = ''] = new RegExp(`<${id}:([A-Za-z0-9+/=\\s]*)>`).exec(said) ?? [];
    let output;
    try {
      output = gunzipSync(Buffer.from(packed.replace(/\s/g, ''), 'base64')).toString();
    } catch (cause) {
      throw new PitvError('PITV_QEMU_COMMAND', `The answer to "${command}" came back spoilt.`, {
        cause,
      });
    }
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
    // Typed until it listens: what comes before the shell does is lost.
    const type = () => this.type(`stty -echo cols 1000;PS1=;PS2=;${QUIET};echo "<ready"'>'\n`);
    const again = setInterval(type, 3000);
    type();
    await this.waitFor(/<ready>/, { timeoutMs, from }).finally(() => clearInterval(again));
    this.#shellReady = true;
  }

  /**
   * Switches off as a person would, and waits until it is off.
   * @param {{timeoutMs?: number}} [options]
   * @returns {Promise<string>} what the serial line said meanwhile
   */
  async powerOff({ timeoutMs = 300_000 } = {}) {
    const from = this.mark();
    await this.run('systemctl --no-block poweroff', { timeoutMs }).catch((error) => {
      if (error.code !== 'PITV_QEMU_ENDED') throw error; // it was quicker than its answer
    });
    await this.ended({ timeoutMs });
    return this.#console.slice(Math.max(0, from - this.#dropped));
  }

  /**
   * Waits until the machine is off.
   * @param {{timeoutMs?: number}} [options]
   */
  async ended({ timeoutMs = 300_000 } = {}) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(
        () => reject(this.#failure('PITV_QEMU_TIMEOUT', /the machine being off/)),
        timeoutMs,
      );
    });
    await Promise.race([this.#end, late]).finally(() => clearTimeout(timer));
    return this.#ended;
  }

  /** Pulls the plug: nothing more is written. */
  async cut() {
    if (this.running) this.#child.kill('SIGKILL');
    await this.#end;
  }

  /** Ends it, if it has not ended. */
  close() {
    return this.cut();
  }
}

/** @returns {Promise<number>} a TCP port nobody has at the moment */
export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
