/** A program of somebody else: a folder into which the npm packages are installed. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeTree } from '../../support/folders.js';

const PROGRAM = fileURLToPath(new URL('program', import.meta.url));
/** The programs that an installation may use. There is no compiler and no make among them. */
const PROGRAMS = ['sh', 'npm'];
/** What npm needs of the machine's compiler where an addon has to be compiled. */
export const COMPILER = ['make', 'cc', 'as', 'ld', 'mkdir', 'mv', 'rm'];

export class Consumer {
  #env;
  #bin;

  /**
   * Makes an empty folder.
   * @param {object} options
   * @param {string} options.registry URL
   * @param {string} [options.cache] of npm, default: an empty one
   * @param {string} [options.node] path of the Node.js that runs npm and the program, default: this one
   * @param {string[]} [options.programs] further programs of this machine in the PATH
   * @param {string} [options.prefix] of the folder's name, default: with spaces, as in some home directories
   */
  constructor({ registry, cache, node = process.execPath, programs = [], prefix = 'pitv npm ' }) {
    this.base = mkdtempSync(join(tmpdir(), prefix));
    this.folder = join(this.base, 'app');
    this.#bin = join(this.base, 'bin');
    mkdirSync(this.folder);
    mkdirSync(this.#bin);
    this.write('package.json', '{"name":"app","private":true,"type":"module"}\n');
    symlinkSync(node, join(this.#bin, 'node'));
    for (const name of [...PROGRAMS, ...programs])
      symlinkSync(findProgram(name), join(this.#bin, name));
    this.#env = {
      PATH: this.#bin,
      HOME: this.base,
      npm_config_registry: registry,
      npm_config_cache: cache ?? join(this.base, 'cache'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    };
  }

  /**
   * Runs a program in the folder.
   * @param {string} file @param {string[]} args @param {Record<string, string>} [env]
   * @returns {Promise<{stdout: string, stderr: string}>}
   */
  run(file, args, env) {
    const options = { cwd: this.folder, env: { ...this.#env, ...env }, timeout: 120_000 };
    return promisify(execFile)(file, args, options).catch((error) => {
      throw new Error(`${error.message}\n${error.stdout}`); // the message has the command, and what it wrote to stderr
    });
  }

  /** Installs packages with npm. @param {string[]} specs tarballs or names @param {string[]} [options] of npm */
  install(specs, options = []) {
    return this.run(join(this.#bin, 'npm'), ['install', ...options, ...specs]);
  }

  /** Runs a module with the folder's Node.js. @param {string} file @param {...string} args */
  node(file, ...args) {
    return this.run(join(this.#bin, 'node'), [file, ...args]);
  }

  /**
   * Copies the program that uses the runtime, and runs it.
   * @param {string[]} engines
   * @param {{node?: string, env?: Record<string, string>}} [other] another Node.js, with its environment
   * @returns {Promise<any>} what it printed
   */
  async useRuntime(engines, { node = join(this.#bin, 'node'), env } = {}) {
    cpSync(PROGRAM, this.folder, { recursive: true });
    const { stdout } = await this.run(node, ['main.mjs', ...engines], env);
    return JSON.parse(stdout);
  }

  /** Writes a file. @param {string} path @param {string} text */
  write(path, text) {
    writeTree(this.folder, { [path]: text });
  }

  remove() {
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** Finds a program of this machine. @param {string} name @returns {string} its path */
function findProgram(name) {
  const found = execFileSync('sh', ['-c', 'readlink -f "$(command -v "$1")"', 'sh', name]);
  return found.toString().trim();
}

/** What the program prints where everything works. @param {string[]} engines */
export const expected = (engines) => ({
  engines: Object.fromEntries(
    engines.map((name) => [name, { reason: 'done', isMailbox: true, count: 9 }]),
  ),
  pools: Object.fromEntries(
    engines.map((name) => [name, [...Array(4).fill(2 * name.length), 2, 4]]),
  ),
  answers: engines.includes('zygote') ? [32] : [],
  piped: 'piped',
  error: 'PITV_ENGINE_UNKNOWN',
  game: ['function', 'function'],
});
