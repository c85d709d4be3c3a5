/** A `pitv serve` child that can be killed and restarted with the same port and data directory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { processTree } from '../../app/process/process-tree.js';
import { SETTLED } from './bundled-games.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));
/** A start that takes longer has failed. */
const START_MS = 60_000;
/** pino's number for an error. */
const ERROR_LEVEL = 50;
const MARK = 'PITV_TEST_RUN';

/** @typedef {{level: number, msg: string, match?: number, pid?: number} & Record<string, any>} LogLine */

export class ServeChild {
  #mark = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  #port = 0;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  /** @type {Map<number, number>} the process of the newest worker, by match */
  workers = new Map();
  /** @type {LogLine[]} lines with level error or worse */
  errors = [];
  /** The pid of the current zygote; 0 without one. */
  zygotePid = 0;
  /** Whether that zygote is the rehearsed one, and not the draft. */
  zygoteSettled = false;
  adminToken = '';
  code = '';

  /**
   * @param {object} options
   * @param {string} options.dataDir
   * @param {string[]} [options.args] further options of `pitv serve`
   * @param {NodeJS.ProcessEnv} [options.env]
   * @param {string[]} [options.cgroups] folders of the control groups to start in
   * @param {(line: LogLine) => void} [options.onLog]
   */
  constructor({ dataDir, args = [], env = {}, cgroups = [], onLog }) {
    this.options = { dataDir, args, env, cgroups, onLog };
  }

  get pid() {
    return this.#child?.pid ?? 0;
  }
  get port() {
    return this.#port;
  }
  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /**
   * Starts the TV. The first start takes any free port, later ones the same port.
   * @param {NodeJS.ProcessEnv} [env] for this start only
   * @returns {Promise<void>} resolves when the TV has printed its address, and has read the game that comes with it
   */
  async start(env = {}) {
    const { dataDir, args, cgroups } = this.options;
    const join = cgroups.map((path) => `echo $$ > ${path}/cgroup.procs; `).join('');
    const serve = ['serve', '--port', String(this.#port), '--host', '127.0.0.1'];
    const child = spawn(
      'sh',
      [
        '-c',
        `${join}exec "$@"`,
        'sh',
        process.execPath,
        CLI,
        ...serve,
        '--data-dir',
        dataDir,
        ...args,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...this.options.env, ...env, [MARK]: this.#mark },
      },
    );
    this.#child = child;
    this.workers.clear();
    this.zygotePid = 0;
    this.zygoteSettled = false;
    let said = '';
    let settled = false;
    await new Promise((resolve, reject) => {
      const fail = (/** @type {string} */ why) =>
        reject(new Error(`pitv serve ${why}: ${JSON.stringify(this.errors.slice(-3))}`));
      const timer = setTimeout(() => fail('did not start in time'), START_MS);
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        fail(`ended with ${signal ?? code}`);
      });
      createInterface({ input: child.stderr }).on('line', (text) => {
        this.#onLog(text);
        settled ||= SETTLED.test(text);
        finish();
      });
      child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
        finish();
      });
      const finish = () => {
        const address = /http:\/\/[\w.]+:(\d+)\/p\?c=(\w{5})/.exec(said);
        if (!address || !said.endsWith('\n') || !settled) return;
        this.#port = Number(address[1]);
        this.code = address[2];
        this.adminToken = /Admin token (\S+)/.exec(said)?.[1] ?? this.adminToken;
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }

  /** @param {string} text */
  #onLog(text) {
    /** @type {LogLine} */
    let line;
    try {
      line = JSON.parse(text);
    } catch {
      line = { level: ERROR_LEVEL, msg: text }; // printed by a worker or by Node.js
    }
    if (line.level >= ERROR_LEVEL) this.errors.push(line);
    if (line.msg === 'the match runs') this.workers.set(Number(line.match), Number(line.pid));
    if (line.msg === 'zygote ready') {
      this.zygotePid = Number(line.pid);
      this.zygoteSettled = line.draft === false;
    }
    this.options.onLog?.(line);
  }

  /** Waits for the end of the child. */
  async ended() {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  get running() {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal and waits for the end of the child. @param {NodeJS.Signals} [signal] */
  async stop(signal = 'SIGTERM') {
    if (this.running) this.#child?.kill(signal);
    await this.ended();
  }

  /**
   * Lists every live process of this TV, also orphans, but no zombies.
   * @returns {number[]}
   */
  processes() {
    const tree = this.running ? processTree(this.pid) : [];
    const marked = readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && this.#isMarked(name),
    );
    return [...new Set([...tree, ...marked.map(Number)])].filter(isAlive);
  }

  /** Whether a process is alive and belongs to this TV. @param {number} pid */
  owns(pid) {
    return isAlive(pid) && this.#isMarked(String(pid));
  }

  /**
   * Sends a signal to a process of this TV. The kernel may have given the pid to another program.
   * @param {number} pid @param {number | NodeJS.Signals} signal
   * @throws {Error} when the process does not belong to the TV
   */
  signal(pid, signal) {
    if (!this.owns(pid)) throw new Error(`process ${pid} does not belong to the TV`);
    process.kill(pid, signal);
  }

  /** @param {string} pid */
  #isMarked(pid) {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${MARK}=${this.#mark}`);
    } catch {
      return false; // it has ended, or belongs to another user
    }
  }
}

/** @param {number} pid @returns {string[]} fields of its stat from the third on; none when it has ended */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** @param {number} pid @returns {boolean} false for a zombie as well */
export function isAlive(pid) {
  const [state = 'X'] = statOf(pid);
  return !'ZX'.includes(state);
}

/** @param {number} pid @returns {number} the leader of its process group; 0 when it has ended */
export const groupOf = (pid) => Number(statOf(pid)[2] ?? 0);

/** Lists the targets of a process's descriptors. @param {number} pid @returns {string[]} none when it has ended */
export function descriptorsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return []; // closed meanwhile
      }
    });
  } catch {
    return [];
  }
}
