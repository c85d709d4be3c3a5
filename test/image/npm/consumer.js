/**
 * A program of somebody else: a folder into which the npm packages are installed; and a registry of npm packages that
 * serves what is in the project's node_modules, so that tests need no network.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { create } from 'tar';
import { temporaryFolder, writeTree } from '../../support/folders.js';
import { root as PROJECT } from '../../support/test-files.js';

const PROGRAM = join(PROJECT, 'test/image/npm/program');
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
   * @param {string} [options.name] of the folder, default: with a space, as in some home directories
   */
  constructor({ registry, cache, node = process.execPath, programs = [], name = 'an app' }) {
    const base = temporaryFolder();
    this.folder = join(base, name);
    this.#bin = join(base, 'bin');
    mkdirSync(this.#bin);
    this.write('package.json', '{"name":"app","private":true,"type":"module"}\n');
    symlinkSync(node, join(this.#bin, 'node'));
    const link =
      'for each in "$@"; do ln -s "$(readlink -f "$(command -v "$each")")" "$each"; done';
    const names = [...PROGRAMS, ...programs];
    execFileSync('sh', ['-c', link, 'sh', ...names], { cwd: this.#bin });
    this.#env = {
      PATH: this.#bin,
      HOME: base,
      npm_config_registry: registry,
      npm_config_cache: cache ?? join(base, 'cache'),
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
    const args = ['install', '--no-audit', '--no-fund', ...options, ...specs];
    return this.run(join(this.#bin, 'npm'), args);
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
}

const RUN = { reason: 'done', isMailbox: true, count: 9 };
/** What the program prints where everything works. @param {string[]} engines */
export const expected = (engines) => ({
  engines: Object.fromEntries(engines.map((name) => [name, RUN])),
  pools: Object.fromEntries(
    engines.map((name) => [name, [...Array(4).fill(2 * name.length), 2, 4]]),
  ),
  answers: engines.includes('zygote') ? [32] : [],
  piped: 'piped',
  error: 'PITV_ENGINE_UNKNOWN',
  game: ['function', 'function'],
});

const TARBALL = '/-/';
/** @param {string} path from the project */
const readJson = (path) => JSON.parse(readFileSync(join(PROJECT, path), 'utf8'));
/** Paths from the project, without the packages for other processors. */
const PATHS = Object.keys(readJson('package-lock.json').packages).filter(
  (path) => path !== '' && existsSync(join(PROJECT, path, 'package.json')),
);
/** @type {Map<string, Promise<Uint8Array>>} path -> its tarball */
const tarballs = new Map();

/** Packs a package, once. @param {string} path */
function pack(path) {
  const filter = (/** @type {string} */ file) => !/^(\.\/)?node_modules\b/.test(file);
  const options = { cwd: join(PROJECT, path), gzip: true, prefix: 'package', portable: true };
  const packed = tarballs.get(path) ?? create({ ...options, filter }, ['.']).concat();
  tarballs.set(path, packed);
  return packed;
}

export class Registry {
  #server = createServer((request, response) => void this.#answer(request.url ?? '', response));
  /** Number of requests that were answered. */
  requests = 0;

  get url() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${port}`;
  }

  /** Listens on a free port of this machine. */
  async open() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  /** Ends all connections. Idempotent. */
  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** @param {string} url @param {import('node:http').ServerResponse} response */
  async #answer(url, response) {
    this.requests++;
    const name = decodeURIComponent(url.slice(1));
    if (url.startsWith(TARBALL)) return response.end(await pack(name.slice(2, -'.tgz'.length)));
    /** @type {Record<string, object>} */
    const versions = {};
    for (const path of PATHS.filter((each) => `/${each}`.endsWith(`/node_modules/${name}`))) {
      const manifest = readJson(`${path}/package.json`);
      const tarball = `${this.url}${TARBALL}${encodeURIComponent(path)}.tgz`;
      const hash = createHash('sha512').update(await pack(path));
      const integrity = `sha512-${hash.digest('base64')}`;
      versions[manifest.version] = { ...manifest, dist: { tarball, integrity } };
    }
    const latest = Object.keys(versions).at(-1);
    if (!latest) return response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions }));
  }
}
