/**
 * A node of a fleet: several TVs that are one console. Matches run on the node with most room, and move to another one
 * when theirs dies. The servers of NATS carry everything between the nodes:
 *
 *   pitv.beat                beats, see nodes.js and membership.js
 *   pitv.frame.MATCH         frames of a match, to the nodes that need them
 *   pitv.input.MATCH.NODE    inputs of phones at a node
 *   pitv.node.NODE           requests to a node, see requests.js
 *   pitv.shared              changes of players, matches and screens, see tables.js
 *
 * One bucket of JetStream has the members and the tables, and one for each node the checkpoints of its matches.
 */
import { PitvError, messageOf } from '../errors.js';
import { FleetCounters, addFleetMetrics } from './fleet-counters.js';
import { FleetGames } from './fleet-games.js';
import { FleetLobby } from './fleet-lobby.js';
import { FleetMatches } from './fleet-matches.js';
import { FleetParty } from './fleet-party.js';
import { sharePassword } from './fleet-password.js';
import { FleetPlayers } from './fleet-players.js';
import { join } from './join.js';
import { LeaseGuard } from './lease-guard.js';
import { Nodes } from './nodes.js';
import { DRAIN_MS, answerRequest, askNode, performRequest } from './requests.js';
import { MAX_SCREENS } from '../storage/people-file.js';

/** Distance of the ids of players that one node gives: as many nodes may join. */
const MAX_NODES = 100;
const UNSAVED =
  'The fleet saves no changes: the disks of its servers are full, or most of them are away.';
/** A change that a node missed arrives at most this much later. */
const REPEAT_MS = 10_000;

/**
 * @typedef {import('../lobby/home.js').StartedTv} StartedTv
 *
 * @typedef {object} FleetSettings
 * @property {string[]} servers @property {string} credentialsFile @property {string} caFile
 * @property {string} name of this node; empty: its host name
 * @property {'pause' | 'continue'} partition what the matches of this node do while it is cut off
 * @property {string} [code] to join, of a new fleet
 * @property {string} version of pitv
 * @property {import('pino').Logger} log
 *
 * @typedef {FleetSettings & import('../lobby/home.js').HomeOptions} FleetOptions
 */

/** Its parts find each other here. @implements {Home} @typedef {import('../lobby/home.js').Home} Home */
export class Fleet {
  counters = new FleetCounters();
  /** Whether this node takes part. Others know none of its matches before. */
  isOpen = false;
  /** @type {Pick<StartedTv, 'urls' | 'isWatched' | 'screens'>} */
  tv = { urls: () => [], isWatched: () => false, screens: () => [] };
  /** Finds files of this node's games for others, by kind. @type {Map<string, Parameters<Home['serveFiles']>[1]>} */
  files = new Map();
  /** @type {NodeJS.Timeout[]} */
  #timers = [];
  /** Resolves after the last drain: they run one after the other. @type {Promise<unknown>} */
  #drained = Promise.resolve();
  /** Whether this node ends, after it has given its matches away. */
  #isEnding = false;
  /** @type {{resolve: () => void, reject: (error: PitvError) => void} | undefined} */
  #opening;
  /**
   * Resolves when this node takes part, a moment after its pages are available.
   * Rejects with PITV_FLEET_AWAY when the TV ends before that. @type {Promise<void>}
   */
  opened = new Promise((resolve, reject) => (this.#opening = { resolve, reject }));

  /** @param {FleetOptions} options @param {import('./join.js').Joined} joined */
  constructor(options, { connection, membership, tables, checkpoints, code, index }) {
    const { log, partition, version, lobby, restMs } = options;
    this.opened.catch(() => {}); // nobody may wait for it
    this.log = log;
    this.partition = partition;
    this.version = version;
    this.connection = connection;
    this.membership = membership;
    /** Name of this node. */
    this.node = membership.node;
    this.tables = tables;
    this.checkpoints = checkpoints;
    this.nodes = new Nodes(this);
    this.games = new FleetGames(this);
    this.guard = new LeaseGuard(this);
    this.lobby = new FleetLobby({ ...lobby, code }, this);
    this.lobby.players.setIds(1 + index, MAX_NODES);
    this.matches = new FleetMatches(this);
    this.party = new FleetParty({ lobby: this.lobby, log, restMs }, this);
  }

  /**
   * Joins a fleet. Waits a while for its servers.
   * @param {FleetOptions} options @returns {Promise<Fleet>}
   * @throws {PitvError} PITV_FLEET_AWAY, PITV_FLEET_CREDENTIALS, PITV_FLEET_NAME
   */
  static async join(options) {
    return new Fleet(options, await join({ ...options, code: options.lobby.code }));
  }

  /** @param {StartedTv} tv */
  open({ urls, isWatched, screens, addScreens, password }) {
    const { lobby, matches, games, nodes, tables } = this;
    this.tv = { urls, isWatched, screens };
    const players = new FleetPlayers(this);
    matches.open();
    tables.on('players', () => matches.mirrors.refresh());
    games.on('change', () => matches.mirrors.refresh());
    lobby.on('change', () => nodes.wantedChanged());
    void sharePassword(this, password);
    this.isOpen = true;
    for (const [, hashes] of tables.entries('screens')) addScreens(hashes);
    tables.on('screens', (_node, hashes = []) => addScreens(hashes));
    this.every(REPEAT_MS, () => tables.repeat());
    nodes.open(() => this.#afterBeat(players));
    this.connection.subscribe(`pitv.node.${this.node}`, (message) => {
      void answerRequest(this, message);
    });
    this.#opening?.resolve();
  }

  /** Does something again and again, until this node leaves. @param {number} ms @param {() => unknown} action */
  every = (ms, action) => void this.#timers.push(setInterval(action, ms).unref());

  /** Does what is due with each beat. @param {FleetPlayers} players */
  #afterBeat(players) {
    const { membership, nodes } = this;
    if (membership.hasLease && nodes.first === this.node)
      players.adoptFrom((name) => membership.isGone(name));
    this.party.check();
    this.games.check();
    const offer = { urls: this.tv.urls(), games: this.games.offered };
    this.tables.tell('nodes', this.node, offer);
    this.tables.tell('screens', this.node, this.tv.screens().slice(-MAX_SCREENS).sort());
  }

  /** Reads all tables again, and publishes what changed here while this node was cut off. */
  async catchUp() {
    await this.tables.read().catch(() => {});
    this.tables.repeat();
  }

  /** Origins of the pages of all nodes, also of those that are away: their pages come to others. @returns {string[]} */
  get origins() {
    const known = [...this.tables.entries('nodes')].filter(([node]) =>
      this.membership.members.includes(node),
    );
    return [...new Set(known.flatMap(([, { urls }]) => urls).map((url) => new URL(url).origin))];
  }

  /** What lobby messages tell screens and phones: all addresses, and what the matches do while this node is cut off. */
  get lobbyState() {
    return { nodes: this.nodes.urls, cutOff: this.guard.isCutOff ? this.partition : undefined };
  }

  /** Sentences about what is wrong, see Home. */
  get notices() {
    return this.tables.isUnsaved ? [UNSAVED] : [];
  }

  /** Describes the nodes, which match runs where, and which node runs the party. */
  describe() {
    return {
      node: this.node,
      cutOff: this.guard.isCutOff,
      nodes: this.isOpen ? this.nodes.all : [],
      party: this.party.node,
      matches: this.lobby.matches.map(({ id, game, players }) => {
        const { node = this.node, epoch = 1 } = this.record(id) ?? {};
        return { id, game: game.id, node, moves: epoch - 1, players: players.length };
      }),
    };
  }

  /** @param {import('../server/metrics-registry.js').Writer} write */
  addMetrics(write) {
    const { counters, isOpen, lobby, matches, nodes } = this;
    const here = matches.own.length;
    addFleetMetrics(write, {
      counters,
      nodes: isOpen ? nodes.all : [],
      hasLease: this.membership.hasLease,
      matches: { here, elsewhere: lobby.matches.length - here },
    });
  }

  /** Tells whether another node shows a match or has a phone that plays it. @param {number} id */
  isWanted(id) {
    return this.membership.alive.some(({ beat }) => beat.about.wanted.includes(id));
  }

  /** @type {Home['serveFiles']} */
  serveFiles(kind, pathOf) {
    this.files.set(kind, pathOf);
  }

  /** @type {Home['readFile']} */
  readFile(game, kind, name, maxBytes) {
    return this.games.media(game, kind, name, maxBytes);
  }

  /**
   * Has a node perform a request, which may be this one.
   * @param {string} node @param {string} operation @param {object} about @param {number} [timeout] see askNode()
   */
  async ask(node, operation, about, timeout) {
    if (node === this.node) return performRequest(this, { ...about, operation });
    return askNode(this.connection, node, operation, about, timeout);
  }

  /** @param {string} node @param {boolean} on @returns {Promise<{matches: number}>} left there */
  async drainNode(node, on) {
    await this.opened;
    if (!this.nodes.all.some((each) => each.node === node && each.alive)) {
      throw new PitvError('PITV_FLEET_AWAY', `There is no node "${node}", or it is away.`);
    }
    return this.ask(node, 'drain', { on }, DRAIN_MS);
  }

  /**
   * Gives all matches of this node to others, and takes no more. A match that no other node takes stays.
   * @param {boolean} on false: it takes matches again, unless it ends
   * @returns {Promise<number>} matches that are left here @throws {PitvError} PITV_CAPACITY: no other node has room
   */
  drain(on) {
    this.nodes.drains = on || this.#isEnding;
    this.nodes.beat();
    const drained = this.#drained.then(() => this.#giveAllAway());
    this.#drained = drained.catch(() => {});
    return drained;
  }

  /** Gives all matches away, as long as this node drains. @returns {Promise<number>} see drain() */
  async #giveAllAway() {
    let isFull = false;
    for (const match of this.matches.own) {
      if (!this.nodes.drains) break;
      if (!match.running) continue;
      const to = this.nodes
        .ranking(match.game)
        .find(({ node, room, drains }) => node !== this.node && room > 0 && !drains);
      isFull ||= to === undefined;
      if (to) await this.matches.giveAway(match, to.node, this.#isEnding);
    }
    if (isFull) throw new PitvError('PITV_CAPACITY', 'No other node of the fleet has room.');
    return this.matches.own.length;
  }

  /** Record of a match. @param {number} id @returns {import('./match-records.js').MatchRecord | undefined} */
  record(id) {
    return this.tables.get('matches', String(id));
  }

  /** Leaves the fleet: other nodes take the matches of this one. */
  async close() {
    this.#opening?.reject(new PitvError('PITV_FLEET_AWAY', 'The TV ends.'));
    if (this.isOpen && this.membership.hasLease) {
      this.#isEnding = true;
      await this.drain(true).catch((error) => {
        this.log.info({ error: messageOf(error) }, 'matches of this node are not given away');
      });
    }
    for (const timer of this.#timers) clearInterval(timer);
    await this.connection.close();
  }
}
