/**
 * A network of namespaces on this machine: each node has one of its own, with two links. The nodes talk over the first
 * one, which a test can cut; the test reaches all nodes over the second one. Needs root and veth devices.
 */
import { spawnSync } from 'node:child_process';
import { startLink } from './link.js';

/** Networks of the nodes and of the test; each FleetNetwork has a part of its own. */
const NODES = '10.78';
const TEST = '10.80';
const HOST = 254;
/** Address of a network card that nobody has. */
const NOBODY = '02:00:00:00:00:01';

/** @param {string[]} args of ip(8) @returns {string} its error, empty on success */
function tryIp(args) {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  return status === 0 ? '' : String(error?.message ?? stderr);
}

/** @param {string} command arguments of ip(8) */
function ip(command) {
  const error = tryIp(command.split(' '));
  if (error) throw new Error(`ip ${command}: ${error}`);
}

/** Why there can be no such network here; undefined if there can. */
export function missingForNetwork() {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const bridge = `pv${process.pid}`; // other runs try at the same time
  const problem = tryIp(['link', 'add', bridge, 'type', 'bridge']);
  if (problem) return `ip cannot make a bridge: ${problem.trim()}`;
  ip(`link del ${bridge}`);
  return undefined;
}

let networks = 0;

export class FleetNetwork {
  #count;
  /** @type {import('./link.js').Link | undefined} */
  #lossy;
  #index = networks++;
  /** Part of all names, so that runs beside this one and networks that are still being removed have other ones. */
  #id = `${process.pid.toString(36).slice(-4)}${this.#index.toString(36)}`;
  #nodes = `${NODES}.${this.#index % 256}`;
  #test = `${TEST}.${this.#index % 256}`;

  /** @param {number} count of the nodes */
  constructor(count) {
    this.#count = count;
    const bridges = [this.#bridge('n'), this.#bridge('t')];
    for (const bridge of bridges) {
      ip(`link add ${bridge} type bridge`);
      ip(`link set ${bridge} up`);
    }
    ip(`addr add ${this.#test}.${HOST}/24 dev ${bridges[1]}`);
    for (let i = 0; i < count; i++) this.#addNode(i, bridges);
  }

  /** @param {string} kind */
  #bridge(kind) {
    return `pv${this.#id}b${kind}`;
  }
  /** @param {number} i @param {string} kind */
  #link(i, kind) {
    return `pv${this.#id}${kind}${i}`;
  }
  /** Name of the namespace of a node. @param {number} i */
  name(i) {
    return `pv${this.#id}-${i}`;
  }

  /** @param {number} i @param {string[]} bridges */
  #addNode(i, bridges) {
    const name = this.name(i);
    ip(`netns add ${name}`);
    ip(`-n ${name} link set lo up`);
    ['n', 't'].forEach((kind, k) => {
      const link = this.#link(i, kind);
      ip(`link add ${link} type veth peer name eth${k} netns ${name}`);
      ip(`link set ${link} master ${bridges[k]}`);
      ip(`link set ${link} up`);
      ip(`-n ${name} addr add ${[this.#nodes, this.#test][k]}.${i + 1}/24 dev eth${k}`);
      ip(`-n ${name} link set eth${k} up`);
    });
  }

  /** Address of a node for the other nodes. @param {number} i */
  address(i) {
    return `${this.#nodes}.${i + 1}`;
  }
  /** Address of a node for the test. @param {number} i */
  testAddress(i) {
    return `${this.#test}.${i + 1}`;
  }

  /** The command that starts a program in the namespace of a node. @param {number} i @returns {string[]} */
  enter(i) {
    return ['ip', 'netns', 'exec', this.name(i)];
  }

  /**
   * Cuts a node off from the others, or connects it again: packets are lost without a word.
   * @param {number} i @param {boolean} isCut
   */
  cut(i, isCut = true) {
    ip(`link set ${this.#link(i, 'n')} ${isCut ? 'down' : 'up'}`);
  }

  /**
   * Loses all packets of a node to another one without a word, or lets them through again. Those back arrive.
   * @param {number} from @param {number} to @param {boolean} isCut
   */
  cutWay(from, to, isCut = true) {
    const entry = `${this.address(to)} dev eth0`;
    const change = isCut ? `replace ${entry} lladdr ${NOBODY} nud permanent` : `del ${entry}`;
    ip(`-n ${this.name(from)} neigh ${change}`);
  }

  /**
   * Replaces the links between the nodes by one that delays and loses packets; see link.js. Connections stay. Such
   * nodes cannot be cut off.
   * @param {import('./link.js').Quality} quality
   */
  async degrade(quality) {
    const names = Array.from({ length: this.#count }, (_none, i) => this.name(i));
    for (const name of names) ip(`-n ${name} addr flush dev eth0`);
    this.#lossy = await startLink(quality, { prefix: this.#nodes, names });
  }

  /** Removes everything. The processes of the nodes must have ended. */
  async close() {
    await this.#lossy?.stop();
    for (let i = 0; i < this.#count; i++) tryIp(['netns', 'del', this.name(i)]);
    for (const kind of ['n', 't']) tryIp(['link', 'del', this.#bridge(kind)]);
  }
}
