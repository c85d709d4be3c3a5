/** Runs `pitv serve` in a process of its own, asks it, and watches its log and its processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { processTree, readText, statOf } from '../../app/process/process-tree.js';
import { CLI } from './cli.js';
import { makeOnce } from './folders.js';
import { poll } from './polling.js';
import { root } from './test-files.js';

/** A start that takes longer has failed. */
const START_MS = 60_000;
/** pino's number for an error. */
const ERROR_LEVEL = 50;
const MARK = 'PITV_TEST_RUN';
const MAX_LOG = 1_000_000;
/** What the log says when the last of the games that come with pitv has been read, or cannot be installed. */
const SETTLED =
  /"game":"rally".*"an installed game|"nothing can be saved in|"no games can be installed"|"a game of pitv cannot be installed"/;

/** When a file of a folder was last changed. @param {string} folder in app/ */
function changedAt(folder) {
  const path = join(root, 'app', folder);
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(...names.map((name) => statSync(join(path, name)).mtimeMs));
}
/**
 * The installed games of a TV that has read all games that come with pitv. Other TVs begin with a copy, and need not
 * read them again.
 */
const INSTALLED = join(
  root,
  `build/games-${Math.trunc(Math.max(changedAt('game'), changedAt('games')))}`,
);
/** The same, or '' as long as no TV has read them. */
export const installedGames = () => (existsSync(INSTALLED) ? INSTALLED : '');

/** Copies a folder with the links in it. @param {string} from @param {string} to */
const copy = (from, to) => cpSync(from, to, { recursive: true, verbatimSymlinks: true });

const ADDRESS = /https?:\/\/[\w.]+:(\d+)\/p\?c=(\w{5})/;

/** A `pitv serve` that can be killed, and started again with the same port and data directory. */
export class ServeChild {
  host = '127.0.0.1';
  port = 0;
  code = '';
  adminToken = '';
  /** @type {Map<number, number>} the process of the newest worker, by match */
  workers = new Map();
  /** What it has printed on stdout. */
  printed = '';
  /** The end of the log. */
  log = '';
  logLines = 0;
  /** Lines of the log with level error or worse. @type {string[]} */
  errors = [];
  /** The pid of the current zygote; 0 without one. */
  zygotePid = 0;
  /** Whether that zygote is the rehearsed one, and not the draft. */
  zygoteSettled = false;
  #mark = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  /** @type {import('node:child_process').ChildProcess} the last one, after start() */
  child = /** @type {any} */ (undefined);
  #hasOwnDir;

  /**
   * @param {object} [options]
   * @param {string} [options.dataDir] by default a new folder, which stop() removes
   * @param {string[]} [options.args] further options of `pitv serve`
   * @param {string[]} [options.node] options of Node.js
   * @param {NodeJS.ProcessEnv} [options.env]
   * @param {string[]} [options.cgroups] folders of the control groups to start in
   * @param {number | ''} [options.descriptors] limit of them
   * @param {{uid: number, gid: number, cwd: string}} [options.as] the user to start as
   */
  constructor(options = {}) {
    const { dataDir, args = [], node = [], env = {}, cgroups = [], descriptors = '', as } = options;
    this.#hasOwnDir = dataDir === undefined;
    this.dataDir = dataDir ?? mkdtempSync(join(tmpdir(), 'pitv-serve-'));
    const games = this.#hasOwnDir && installedGames();
    if (games) copy(games, join(this.dataDir, 'games'));
    this.options = { args, node, env, cgroups, descriptors, as };
  }

  get pid() {
    return this.child?.pid ?? 0;
  }
  get url() {
    return `http://${this.host}:${this.port}`;
  }
  get running() {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /**
   * Starts the TV. The first start takes any free port, later ones the same port.
   * @returns {Promise<void>} resolves when the TV has printed its address, and has read the game that comes with it
   */
  async start() {
    const { args, node, env, cgroups, descriptors, as } = this.options;
    const setUp = cgroups.map((path) => `echo $$ > ${path}/cgroup.procs || exit 1; `);
    if (descriptors) setUp.push(`ulimit -n ${descriptors} || exit 1; `);
    const where = ['--port', String(this.port), '--host', this.host, '--data-dir', this.dataDir];
    const command = [process.execPath, ...node, CLI, 'serve', ...where, ...args];
    const child = spawn('sh', ['-c', `${setUp.join('')}exec "$@"`, 'sh', ...command], {
      ...as,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env, [MARK]: this.#mark },
    });
    this.child = child;
    this.workers.clear();
    this.zygotePid = 0;
    this.zygoteSettled = false;
    this.printed = '';
    let settled = false;
    child.stdout.setEncoding('utf8').on('data', (text) => (this.printed += text));
    createInterface({ input: child.stderr }).on('line', (text) => {
      settled ||= SETTLED.test(text);
      this.#onLog(text);
    });
    const find = () => settled && this.printed.endsWith('\n') && ADDRESS.exec(this.printed);
    await poll(() => find() || !this.running, START_MS);
    const address = find();
    if (!address) {
      const end = child.signalCode ?? child.exitCode;
      const why = this.running ? 'did not start in time' : `ended with ${end}`;
      throw new Error(`pitv serve ${why}:\n${this.log.slice(-4000)}`);
    }
    if (this.#hasOwnDir) makeOnce(INSTALLED, (draft) => copy(join(this.dataDir, 'games'), draft));
    this.port = Number(address[1]);
    this.code = address[2];
    this.adminToken = /Admin token (\S+)/.exec(this.printed)?.[1] ?? this.adminToken;
  }

  /** @param {string} text */
  #onLog(text) {
    this.logLines++;
    this.log = `${this.log}${text}\n`.slice(-MAX_LOG);
    /** @type {Record<string, any>} */
    let line = { level: ERROR_LEVEL };
    try {
      line = JSON.parse(text);
    } catch {
      // printed by a worker or by Node.js
    }
    if (line.level >= ERROR_LEVEL) this.errors.push(text);
    if (line.msg === 'the match runs') this.workers.set(Number(line.match), Number(line.pid));
    if (line.msg === 'zygote ready') {
      this.zygotePid = Number(line.pid);
      this.zygoteSettled = line.draft === false;
    }
  }

  /** Waits for the end of the child. */
  async ended() {
    if (this.running) await once(this.child, 'exit');
  }

  /** Sends a signal and waits for the end of the child. @param {NodeJS.Signals} [signal] */
  async stop(signal = 'SIGTERM') {
    if (this.child?.kill(signal)) await this.ended();
    if (this.#hasOwnDir) rmSync(this.dataDir, { recursive: true, force: true });
  }

  /**
   * Sends a request, as the admin by default.
   * @param {string} path @param {{method?: string, body?: object, token?: string}} [options]
   */
  ask(path, { method = 'GET', body, token = this.adminToken } = {}) {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const type = body && { 'content-type': 'application/json' };
    return fetch(this.url + path, {
      method,
      headers: { ...headers, ...type },
      body: body && JSON.stringify(body),
    });
  }

  /** Lists the matches. @returns {Promise<any[]>} */
  async matches() {
    return (await (await this.ask('/api/matches')).json()).matches;
  }

  /** Lists every live process of this TV, also orphans, but no zombies. @returns {number[]} */
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

  /** @param {string} pid @returns {boolean} false when it has ended, or belongs to another user */
  #isMarked(pid) {
    return readText(`/proc/${pid}/environ`)?.includes(`${MARK}=${this.#mark}`) ?? false;
  }
}

/**
 * Starts a TV that is stopped after the test.
 * @param {{after: (action: () => unknown) => void}} t @param {string[]} args further options of `pitv serve`
 */
export async function startServe(t, ...args) {
  const tv = new ServeChild({ args });
  t.after(() => tv.stop());
  await tv.start();
  return tv;
}

/** @param {number} pid @returns {boolean} false for a zombie as well */
export function isAlive(pid) {
  const [state = 'X'] = statOf(pid);
  return !'ZX'.includes(state);
}

/** @param {number} pid @returns {number} its parent; 0 when it has ended */
export const parentOf = (pid) => Number(statOf(pid)[1] ?? 0);

/** @param {number} pid @returns {number} the leader of its process group; 0 when it has ended */
export const groupOf = (pid) => Number(statOf(pid)[2] ?? 0);

/** @param {number} pid @returns {number} the leader of its session; 0 when it has ended */
export const sessionOf = (pid) => Number(statOf(pid)[3] ?? 0);

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

/**
 * Counts the descriptors of processes, and those of shared memory: memfds, and files in /dev/shm, deleted ones too.
 * @param {number[]} pids
 */
export function countDescriptors(pids) {
  const targets = pids.flatMap(descriptorsOf);
  const count = (/** @type {string} */ start) =>
    targets.filter((target) => target.startsWith(start)).length;
  return { descriptors: targets.length, shmFiles: count('/dev/shm/'), memfds: count('/memfd:') };
}

/**
 * Adds up by how much counts exceed a baseline.
 * @param {Record<string, number>} counts @param {Record<string, number>} baseline
 */
export const excess = (counts, baseline) =>
  Object.entries(counts)
    .map(([name, count]) => Math.max(0, count - baseline[name]))
    .reduce((sum, more) => sum + more, 0);
