/** A fleet on this machine: nats-servers, and TVs in processes of their own. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createUser } from '@nats-io/nkeys';
import { serverConfig } from '../../app/fleet/server-config.js';
import { freePorts } from './free-ports.js';
import { poll } from './polling.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));
const START_MS = 90_000;
const POLL_MS = 50;

/** Why there can be no fleet here; undefined if there can. */
export const missingForFleet =
  spawnSync('nats-server', ['--version']).status === 0
    ? undefined
    : 'nats-server is not installed (Debian package nats-server)';

/**
 * @typedef {object} Node
 * @property {string} name
 * @property {string} url of its pages
 * @property {import('node:child_process').ChildProcess} tv
 *
 * @typedef {object} Place where a node runs
 * @property {string[]} enter the command before those of its programs
 * @property {string} address for the other nodes @property {string} testAddress for the test
 * @property {number} port of its nats-server @property {number} routePort @property {number} tvPort
 */

export class LocalFleet {
  /** @type {Node[]} */
  nodes = [];
  /** @type {import('node:child_process').ChildProcess[]} */
  servers = [];
  /** Log of each TV. @type {string[]} */
  logs = [];
  credentials = '';
  #options;
  #folder = '';
  #user = createUser();
  /** @type {Place[]} */
  #places = [];

  /**
   * @param {object} [options]
   * @param {number} [options.count] of the nodes @param {string[]} [options.flags] of `pitv serve`
   * @param {string} [options.host] address of the TVs
   * @param {number[]} [options.ports] of the TVs; by default free ones
   * @param {import('../network/fleet-network.js').FleetNetwork} [options.network] namespaces of the nodes; each one
   *   begins with its own nats-server
   * @param {(i: number) => string[]} [options.wrap] the command before that of a TV
   * @param {(i: number) => string} [options.storeOf] folder of the JetStream of a server
   * @param {{cert: string, key: string, ca: string}} [options.tls] files for all connections
   * @param {string} [options.program] what takes the place of app/cli.js
   * @param {string} [options.games] folder of installed games that each TV begins with
   */
  constructor(options = {}) {
    this.#options = {
      count: 3,
      flags: [],
      host: '127.0.0.1',
      ports: [],
      wrap: () => [],
      storeOf: (/** @type {number} */ i) => join(this.#folder, `store-${i}`),
      program: CLI,
      games: '',
      ...options,
    };
  }

  /** Addresses of the nats-servers. @returns {string[]} */
  get urls() {
    const scheme = this.#options.tls ? 'tls' : 'nats';
    return this.#places.map(({ address, port }) => `${scheme}://${address}:${port}`);
  }

  /** Starts all servers and all TVs. */
  async start() {
    await this.startServers();
    await Promise.all(this.#places.map((_place, i) => this.startTv(i)));
  }

  /** Starts all servers. */
  async startServers() {
    const { count, ports, network, games } = this.#options;
    this.#folder = await mkdtemp(join(tmpdir(), 'pitv-fleet-'));
    this.credentials = join(this.#folder, 'credentials');
    await writeFile(this.credentials, Buffer.from(this.#user.getSeed()));
    const free = await freePorts(3 * count);
    this.#places = Array.from({ length: count }, (_none, i) => ({
      enter: network?.enter(i) ?? [],
      address: network?.address(i) ?? '127.0.0.1',
      testAddress: network?.testAddress(i) ?? '127.0.0.1',
      port: free[3 * i],
      routePort: free[3 * i + 1],
      tvPort: ports[i] ?? free[3 * i + 2],
    }));
    for (let i = 0; games && i < count; i++) {
      const to = join(this.#folder, `node-${i}`, 'games');
      await cp(games, to, { recursive: true, verbatimSymlinks: true });
    }
    for (let i = 0; i < count; i++) await this.startServer(i);
    for (let i = 0; i < count; i++) await this.#untilListening(i);
  }

  /** Returns the path of a file of a nats-server. @param {number} i @param {'conf' | 'log'} ending */
  #serverFile(i, ending) {
    return join(this.#folder, `nats-${i}.${ending}`);
  }

  /** Waits until a server accepts its TV, which would use another one. @param {number} i */
  async #untilListening(i) {
    const log = () => readFile(this.#serverFile(i, 'log'), 'utf8').catch(() => '');
    const isReady = async () => (await log()).includes('Server is ready');
    if (!(await poll(isReady, START_MS, POLL_MS))) throw new Error(`server ${i} does not start`);
  }

  /** @param {number} i @param {string[]} command @param {'ignore' | 'pipe'} stderr */
  #spawn(i, command, stderr) {
    const [file, ...args] = [...this.#places[i].enter, ...command];
    return spawn(file, args, { stdio: ['ignore', 'ignore', stderr] });
  }

  /** Starts the nats-server of a node. @param {number} i */
  async startServer(i) {
    const { address, port, routePort } = this.#places[i];
    const config = serverConfig({
      host: `server-${i}`,
      name: 'test',
      user: this.#user.getPublicKey(),
      password: 'secret',
      hosts: this.urls,
      store: this.#options.storeOf(i),
      ...(this.#options.tls && { tls: this.#options.tls }),
      port,
      routePort,
      listen: address,
      routes: this.#places.map((place) => `${place.address}:${place.routePort}`),
    });
    await writeFile(this.#serverFile(i, 'conf'), config);
    const files = ['-c', this.#serverFile(i, 'conf'), '-l', this.#serverFile(i, 'log')];
    this.servers[i] = this.#spawn(i, ['nats-server', ...files], 'ignore');
  }

  /**
   * Starts the TV of a node, and waits until its pages are there.
   * @param {number} i @param {string} [cli] path of another program
   * @returns {Promise<Node>}
   */
  async startTv(i, cli = this.#options.program) {
    const { flags, host, network, wrap } = this.#options;
    const { testAddress, tvPort } = this.#places[i];
    const name = `node-${i}`;
    const own = this.urls[i];
    const servers = network ? [own] : [own, ...this.urls.filter((url) => url !== own)];
    const settings = Object.entries({
      port: tvPort,
      host: network ? '0.0.0.0' : host,
      'fleet-node': name,
      'data-dir': join(this.#folder, name),
      fleet: servers.join(','),
      'fleet-credentials': this.credentials,
      'log-level': 'debug',
      ...(host !== '0.0.0.0' && { 'public-url': `http://${testAddress}:${tvPort}` }),
    }).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
    const command = [...wrap(i), process.execPath, cli, 'serve', ...settings, ...flags];
    const tv = this.#spawn(i, command, 'pipe');
    this.logs[i] = '';
    tv.stderr?.on('data', (text) => (this.logs[i] += text));
    const node = { name, tv, url: `http://${testAddress}:${tvPort}` };
    this.nodes[i] = node;
    const isUp = async () => (await fetch(`${node.url}/healthz`).catch(() => undefined))?.ok;
    const hasEnded = () => tv.exitCode !== null || tv.signalCode !== null;
    const found = await poll(async () => (await isUp()) || hasEnded(), START_MS, POLL_MS);
    if (!found || hasEnded()) throw new Error(`${name} does not start: ${this.logs[i]}`);
    return node;
  }

  /** Returns the admin token of a TV. @param {number} i */
  adminToken(i) {
    return readFileSync(join(this.#folder, `node-${i}`, 'admin-token'), 'utf8').trim();
  }

  /** Reads what a node says about the fleet. @param {number} i @returns {Promise<any>} */
  state(i) {
    const read = async () => {
      const response = await fetch(`${this.nodes[i].url}/api/fleet`);
      return response.ok ? response.json() : response.body?.cancel(); // too many requests
    };
    return poll(read, Infinity, POLL_MS);
  }

  /** Returns the index of the node that runs a match, as a node says. @param {number} id @param {number} at */
  async ownerOf(id, at) {
    const { matches } = await this.state(at);
    const match = matches.find((/** @type {{id: number}} */ each) => each.id === id);
    return this.nodes.findIndex(({ name }) => name === match?.node);
  }

  /**
   * Kills a TV as a power cut does.
   * @param {number} i @param {{server?: boolean}} [options] server: its nats-server as well
   */
  kill(i, { server = false } = {}) {
    this.nodes[i].tv.kill('SIGKILL');
    if (server) this.servers[i].kill('SIGKILL');
  }

  async stop() {
    const children = [...this.nodes.map(({ tv }) => tv), ...this.servers];
    await Promise.all(
      children.map(async (child) => {
        if (child.kill('SIGKILL')) await once(child, 'exit');
      }),
    );
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
  }
}
