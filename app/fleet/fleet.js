/**
 * A node of a fleet: several TVs that are one console. Matches run on the node with most room, and move to another one
 * when theirs dies. The servers of NATS carry everything between the nodes:
 *
 *   pitv.beat                beats, see membership.js
 *   pitv.frame.MATCH         frames of a match, to the nodes that need them
 *   pitv.input.MATCH.NODE    inputs of phones at a node
 *   pitv.node.NODE           requests to a node, see requests.js
 *   pitv.shared.TABLE        changes of players, matches and screens, see shared-map.js
 *
 * Buckets of JetStream keep the members, the shared tables and the checkpoints.
 */
import { PitvError, messageOf } from '../errors.js';
import { FleetCounters } from './fleet-counters.js';
import { FleetFiles } from './fleet-files.js';
import { FleetGames } from './fleet-games.js';
import { FleetLobby } from './fleet-lobby.js';
import { sampleOf, stateOf } from './fleet-state.js';
import { FleetParty } from './fleet-party.js';
import { join } from './join.js';
import { lobbyServices } from './lobby-services.js';
import { openParts } from './open-parts.js';
import { giveAllAway } from './placement.js';
import { answerRequest, askNode } from './requests.js';
import { repeatAll } from './shared-map.js';

/** Distance of the ids of players that one node gives: as many nodes may join. */
const MAX_NODES = 100;
/** A change that a node missed arrives at most this much later. */
const REPEAT_MS = 10_000;

/**
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('./open-parts.js').Parts} Parts
 *
 * @typedef {object} FleetOptions
 * @property {string[]} servers @property {string} credentialsFile @property {string} caFile
 * @property {string} name of this node; empty: its host name
 * @property {'pause' | 'continue'} partition what the matches of this node do while it is cut off
 * @property {string} version of pitv
 * @property {import('pino').Logger} log
 */

export class Fleet {
  counters = new FleetCounters();
  files;
  games;
  #options;
  #connection;
  #membership;
  #tables;
  #checkpoints;
  #members;
  /** @type {FleetLobby | undefined} */
  #lobby;
  /** @type {FleetParty | undefined} */
  #party;
  /** @type {(() => unknown)[]} */
  #ends = [];
  /** Those that exist while this node takes part. @type {Parts | undefined} */
  #parts;
  /** @type {{resolve: () => void, reject: (error: PitvError) => void} | undefined} */
  #opening;
  /**
   * Resolves when this node takes part, a moment after its pages are available.
   * Rejects with PITV_FLEET_AWAY when the TV ends before that. @type {Promise<void>}
   */
  opened = new Promise((resolve, reject) => (this.#opening = { resolve, reject }));

  /**
   * @param {FleetOptions} options
   * @param {import('./join.js').Joined} parts
   */
  constructor(options, { connection, membership, members, tables, checkpoints, code, index }) {
    this.#options = options;
    this.#connection = connection;
    this.#membership = membership;
    this.#members = members;
    this.#tables = tables;
    this.#checkpoints = checkpoints;
    this.code = code;
    this.index = index;
    this.log = options.log;
    this.opened.catch(() => {}); // nobody may wait for it
    this.files = new FleetFiles({ node: membership.node, connection, log: options.log });
    this.games = new FleetGames({
      node: membership.node,
      shared: tables.games,
      files: this.files,
      log: options.log,
      others: () => this.others.map(({ node }) => node),
      ask: (node, operation, about) => this.ask(node, operation, about),
    });
  }

  /**
   * Joins a fleet. Waits a while for its servers.
   * @param {FleetOptions} options
   * @returns {Promise<Fleet>}
   * @throws {PitvError} PITV_FLEET_AWAY, PITV_FLEET_CREDENTIALS, PITV_FLEET_NAME
   */
  static async join(options) {
    return new Fleet(options, await join(options));
  }

  /** What the other living nodes tell. */
  get others() {
    return this.#parts?.nodes.others ?? [];
  }
  /** Name of this node. */
  get node() {
    return this.#membership.node;
  }

  /**
   * Creates the lobby of this node.
   * @param {import('../lobby/lobby.js').LobbyOptions} options
   * @returns {FleetLobby}
   */
  createLobby(options) {
    const lobby = new FleetLobby(
      { ...options, code: this.code },
      lobbyServices(this, { connection: this.#connection, membership: this.#membership }),
    );
    lobby.players.setIds(1 + this.index, MAX_NODES);
    this.#lobby = lobby;
    return lobby;
  }

  /**
   * Creates the party of this node.
   * @param {ConstructorParameters<typeof FleetParty>[0]} services @returns {FleetParty}
   */
  createParty(services) {
    const party = new FleetParty(services, {
      membership: this.#membership,
      shared: this.#tables.party,
      ask: (node, operation, about) => this.ask(node, operation, about),
      nodes: () => this.#parts?.nodes,
      endOf: (match) => this.record(match)?.end,
      isCutOff: () => this.isCutOff,
      goesOnAlone: this.#options.partition === 'continue',
    });
    this.#party = party;
    return party;
  }

  /**
   * Begins to take part. Call it when the TV can be reached.
   * @param {object} tv
   * @param {() => string[]} tv.urls addresses for phones
   * @param {(match: Match) => boolean} tv.isWatched whether a screen of this TV shows a match
   * @param {(hash: string) => void} tv.addScreen recognises the token of a screen of another node
   * @param {import('../admin/password-file.js').PasswordFile} tv.password
   */
  open({ urls, isWatched, addScreen, password }) {
    const parts = openParts({
      urls,
      isWatched,
      password,
      lobby: this.lobby,
      party: this.#party,
      connection: this.#connection,
      membership: this.#membership,
      members: this.#members,
      tables: this.#tables,
      checkpoints: this.#checkpoints,
      counters: this.counters,
      games: this.games,
      log: this.log,
      options: this.#options,
    });
    this.#parts = parts;
    const { screens } = this.#tables;
    for (const [hash] of screens.entries()) addScreen(hash);
    screens.on('change', (hash, value, isOwn) => {
      if (value && !isOwn) addScreen(hash);
    });
    const answer = (/** @type {import('@nats-io/transport-node').Msg} */ message) =>
      void answerRequest(this, message);
    const timer = setInterval(() => repeatAll(this.#tables), REPEAT_MS).unref();
    this.files.open();
    parts.beats.open();
    this.#ends = [
      this.#connection.subscribe(`pitv.node.${this.node}`, answer),
      () => clearInterval(timer),
      () => this.files.close(),
      () => parts.beats.close(),
      () => parts.password.close(),
    ];
    this.#opening?.resolve();
  }

  get lobby() {
    if (!this.#lobby) throw new Error('createLobby() has to be called first');
    return this.#lobby;
  }
  /** @returns {Parts} */
  get parts() {
    if (!this.#parts) throw new Error('open() has to be called first');
    return this.#parts;
  }
  get nodes() {
    return this.parts.nodes;
  }
  get matches() {
    return this.parts.matches;
  }
  get takeover() {
    return this.parts.takeover;
  }
  get party() {
    if (!this.#party) throw new Error('createParty() has to be called first');
    return this.#party;
  }
  /** Whether this node is cut off from most of its fleet. */
  get isCutOff() {
    return this.#parts?.guard.isCutOff === true;
  }
  /** Addresses for phones of all living nodes. @returns {string[]} */
  get urls() {
    return this.#parts?.nodes.urls ?? [];
  }

  /** Origins of the pages of all nodes, also of those that are away: their pages come to others. @returns {string[]} */
  get origins() {
    const known = [...this.#tables.addresses.entries()].filter(([node]) =>
      this.#membership.members.includes(node),
    );
    return [...new Set(known.flatMap(([, urls]) => urls).map((url) => new URL(url).origin))];
  }

  /** What lobby messages tell screens and phones: all addresses, and what the matches do while this node is cut off. */
  get lobbyState() {
    const cutOff = this.isCutOff ? this.#options.partition : undefined;
    return { nodes: this.urls, cutOff };
  }

  /** The nodes, which match runs where, and the node that runs the party. */
  get state() {
    return stateOf(this, this.#parts);
  }
  /** What the metrics tell. */
  get sample() {
    return { ...sampleOf(this, this.#parts), hasLease: this.#membership.hasLease };
  }

  /** Tells whether a match of this node may be shown. @param {number} id */
  mayShow(id) {
    return this.#parts?.guard.mayShow(id) !== false;
  }

  /** Tells whether another node shows a match or has a phone that plays it. @param {number} id */
  isWanted(id) {
    return this.#parts?.nodes.isWanted(id) === true;
  }

  /** Sends a request to a node. @param {string} node @param {string} operation @param {object} about */
  ask(node, operation, about) {
    return askNode(this.#connection, node, operation, about);
  }

  // Drain.

  /**
   * Drains a node of the fleet.
   * @param {string} node @param {boolean} on @returns {Promise<{matches: number}>} left there
   */
  async drainNode(node, on) {
    await this.opened;
    if (!this.nodes.all.some((each) => each.node === node && each.alive)) {
      throw new PitvError('PITV_FLEET_AWAY', `There is no node "${node}", or it is away.`);
    }
    if (node !== this.node) return this.ask(node, 'drain', { on });
    await this.drain(on);
    return { matches: this.matches.own.length };
  }

  /**
   * Gives all matches of this node to others, and takes no more.
   * @param {boolean} [on] false: it takes matches again
   */
  async drain(on = true) {
    this.nodes.drains = on;
    this.parts.beats.send();
    if (!on) return;
    await giveAllAway(this);
  }

  /** Record of a match. @param {number} id @returns {import('./match-records.js').MatchRecord | undefined} */
  record(id) {
    return this.#tables.matches.get(String(id));
  }

  /** Tells the other nodes about a screen. @param {string} hash of its token */
  addScreen(hash) {
    if (!this.#tables.screens.get(hash)) this.#tables.screens.set(hash, true);
  }

  /** Leaves the fleet: other nodes take the matches of this one. */
  async close() {
    this.#opening?.reject(new PitvError('PITV_FLEET_AWAY', 'The TV ends.'));
    if (this.#parts && this.#membership.hasLease) {
      await this.drain().catch((error) => {
        this.log.info({ error: messageOf(error) }, 'matches of this node are not given away');
      });
    }
    for (const end of this.#ends) end();
    this.#parts?.matches.close();
    this.#checkpoints.close();
    for (const table of Object.values(this.#tables)) table.close();
    await this.#connection.close();
  }
}
