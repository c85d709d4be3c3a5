/**
 * A node of a fleet: several TVs that are one console. Matches run on the node with most room, and move to another one when
 * theirs dies. The servers of NATS carry everything between the nodes:
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
import { Beats } from './beats.js';
import { FleetClips } from './fleet-clips.js';
import { FleetCounters } from './fleet-counters.js';
import { FleetFiles } from './fleet-files.js';
import { FleetGames } from './fleet-games.js';
import { FleetLobby } from './fleet-lobby.js';
import { FleetMatches } from './fleet-matches.js';
import { FleetParty } from './fleet-party.js';
import { FleetPlayers } from './fleet-players.js';
import { join } from './join.js';
import { LeaseGuard } from './lease-guard.js';
import { createLink } from './links.js';
import { Nodes } from './nodes.js';
import { giveAllAway, startElsewhere, waitForMatch } from './placement.js';
import { answerRequest, askNode } from './requests.js';
import { Takeover } from './takeover.js';

/** Distance of the ids of players that one node gives: as many nodes may join. */
const MAX_NODES = 100;
const REPEAT_MS = 10_000;

/**
 * @typedef {import('../match/match.js').Match} Match
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
  /** @type {FleetMatches | undefined} */
  #matches;
  /** @type {Takeover | undefined} */
  #takeover;
  /** @type {FleetPlayers | undefined} */
  #players;
  /** @type {FleetParty | undefined} */
  #party;
  /** @type {FleetClips | undefined} */
  #clips;
  /** @type {(() => unknown)[]} */
  #ends = [];
  /** @type {LeaseGuard | undefined} */
  #guard;
  /** @type {Nodes | undefined} */
  #nodes;
  /** @type {Beats | undefined} */
  #beats;

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
    this.files = new FleetFiles({ node: membership.node, connection, log: options.log });
    this.games = new FleetGames({
      ...{ node: membership.node, shared: tables.games, files: this.files, log: options.log },
      others: () => this.#others,
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

  /** Names of the other living nodes. */
  get #others() {
    return this.#nodes?.others.map(({ node }) => node) ?? [];
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
    const lobby = new FleetLobby({ ...options, code: this.code }, this);
    lobby.players.setIds(1 + this.index, MAX_NODES);
    this.#lobby = lobby;
    return lobby;
  }

  /** Creates the party of this node. @param {ConstructorParameters<typeof FleetParty>[0]} services @returns {FleetParty} */
  createParty(services) {
    const party = new FleetParty(services, {
      membership: this.#membership,
      shared: this.#tables.party,
      ask: (node, operation, about) => this.ask(node, operation, about),
      nodes: () => this.#nodes,
      endOf: (match) => this.record(match)?.end,
      isCutOff: () => this.isCutOff,
      goesOnAlone: this.#options.partition === 'continue',
    });
    this.#party = party;
    return party;
  }

  /** Creates the list of the clips of all nodes. @param {import('../clips/clips.js').Clips} local @returns {FleetClips} */
  createClips(local) {
    const clips = new FleetClips({
      ...{ local, node: this.node, connection: this.#connection, files: this.files },
      ask: (node, operation, about) => this.ask(node, operation, about),
      nodeOf: (match) => this.matches.nodeOf(match),
      others: () => this.#others,
    });
    this.#clips = clips;
    return clips;
  }

  /**
   * Begins to take part. Call it when the TV can be reached.
   * @param {object} tv
   * @param {() => string[]} tv.urls addresses for phones
   * @param {(match: Match) => boolean} tv.isWatched whether a screen of this TV shows a match
   * @param {(hash: string) => void} tv.addScreen recognises the token of a screen of another node
   */
  open({ urls, isWatched, addScreen }) {
    const lobby = this.lobby;
    const membership = this.#membership;
    const { players, matches, screens } = this.#tables;
    const nodes = new Nodes({
      ...{ membership, lobby, urls, isWatched, log: this.log, games: this.games },
      version: this.#options.version,
    });
    this.#nodes = nodes;
    this.#players = new FleetPlayers({
      node: this.node,
      players: lobby.players,
      shared: players,
    });
    this.#matches = new FleetMatches({
      node: this.node,
      membership,
      lobby,
      shared: matches,
      checkpoints: this.#checkpoints,
      ...{ log: this.log, counters: this.counters, games: this.games },
    });
    this.#takeover = new Takeover({
      ...{ membership, matches: this.#matches, log: this.log, counters: this.counters },
      ranking: (game) => nodes.ranking(game).map(({ node }) => node),
    });
    this.#guard = new LeaseGuard({
      ...{ membership, matches: this.#matches, takeover: this.#takeover, log: this.log },
      ...{ partition: this.#options.partition, counters: this.counters },
      reconnect: () => this.#reconnect(),
      changed: () => lobby.emit('change'),
    });
    this.#beats = new Beats({
      ...{ connection: this.#connection, membership, nodes, members: this.#members, log: this.log },
      guard: this.#guard,
      afterSend: () => this.#takeCharge(),
    });
    players.on('change', (_id, _player, isOwn) => {
      if (!isOwn) this.matches.refresh();
    });
    for (const [hash] of screens.entries()) addScreen(hash);
    screens.on('change', (hash, value, isOwn) => {
      if (value && !isOwn) addScreen(hash);
    });
    const answer = (/** @type {import('@nats-io/transport-node').Msg} */ message) =>
      void answerRequest(this, message);
    this.#ends.push(this.#connection.subscribe(`pitv.node.${this.node}`, answer));
    const repeat = () => Object.values(this.#tables).forEach((table) => table.repeat());
    const timer = setInterval(repeat, REPEAT_MS).unref();
    this.#ends.push(() => clearInterval(timer));
    this.files.open();
    this.#ends.push(() => this.files.close());
    this.#clips?.join();
    this.#beats.open();
    this.#ends.push(() => this.#beats?.close());
    lobby.on('change', () => {
      this.#beats?.wantedChanged();
      this.games.tell();
    });
    this.games.tell();
    this.games.on('change', () => this.matches.refresh());
  }

  get lobby() {
    if (!this.#lobby) throw new Error('createLobby() has to be called first');
    return this.#lobby;
  }
  get nodes() {
    if (!this.#nodes) throw new Error('open() has to be called first');
    return this.#nodes;
  }
  get matches() {
    if (!this.#matches) throw new Error('open() has to be called first');
    return this.#matches;
  }

  get takeover() {
    if (!this.#takeover) throw new Error('open() has to be called first');
    return this.#takeover;
  }

  get party() {
    if (!this.#party) throw new Error('createParty() has to be called first');
    return this.#party;
  }

  get clips() {
    if (!this.#clips) throw new Error('createClips() has to be called first');
    return this.#clips;
  }

  /** Takes charge of what dead nodes have left, but their matches. */
  #takeCharge() {
    const nodes = this.#nodes;
    if (nodes && this.#membership.hasLease && nodes.isFirst) {
      this.#players?.adoptFrom((node) => this.#membership.isGone(node));
    }
    this.#party?.check();
    this.#clips?.check();
    this.games.check();
  }

  /** Learns what this node has missed while it was cut off. */
  async #reconnect() {
    for (const table of Object.values(this.#tables)) {
      await table.read().catch(() => {});
      table.repeat();
    }
    this.#party?.caughtUp();
  }

  /** Whether this node is cut off from most of its fleet. */
  get isCutOff() {
    return this.#guard?.isCutOff === true;
  }
  /** Addresses for phones of all living nodes. @returns {string[]} */
  get urls() {
    return this.#nodes?.urls ?? [];
  }

  /** What lobby messages tell screens and phones: all addresses, and what the matches do while this node is cut off. */
  get lobbyState() {
    const cutOff = this.isCutOff ? this.#options.partition : undefined;
    return { nodes: this.urls, cutOff };
  }

  /** The nodes, which match runs where, and the node that runs the party. */
  get state() {
    return {
      node: this.node,
      cutOff: this.isCutOff,
      nodes: this.nodes.all,
      party: this.party.node,
      matches: this.lobby.matches.map((match) => ({
        id: match.id,
        game: match.game.id,
        node: this.matches.nodeOf(match),
        moves: (this.record(match.id)?.epoch ?? 1) - 1,
        players: match.players.length,
      })),
    };
  }

  /** What the metrics tell. */
  get sample() {
    const here = this.#matches?.own.length ?? 0;
    return {
      counters: this.counters,
      nodes: this.#nodes?.all ?? [],
      hasLease: this.#membership.hasLease,
      matches: { here, elsewhere: this.lobby.matches.length - here },
    };
  }

  // For the lobby.

  othersCapacity() {
    const others = this.#nodes?.others ?? [];
    return {
      max: others.reduce((sum, about) => sum + about.max, 0),
      running: others.reduce((sum, about) => sum + about.matches, 0),
    };
  }

  /** @param {number} id */
  isTaken(id) {
    return this.#tables.matches.get(String(id)) !== undefined;
  }

  /** @param {import('../lobby/lobby.js').NewMatch} need @returns {Promise<number | undefined>} */
  async startElsewhere(need) {
    return this.#membership.hasLease ? startElsewhere(this, need) : undefined;
  }

  /** @param {number} id @returns {Promise<Match>} */
  waitFor(id) {
    return waitForMatch(this.lobby, id);
  }

  /** @param {Match} match @param {string} operation @param {object} about */
  askOwner(match, operation, about) {
    return this.ask(this.matches.nodeOf(match), operation, { match: match.id, ...about });
  }

  /** Sends a request to a node. @param {string} node @param {string} operation @param {object} about */
  ask(node, operation, about) {
    return askNode(this.#connection, node, operation, about);
  }

  /** @param {{id: number}} match @returns {import('./fleet-worker.js').Link} */
  linkOf({ id }) {
    return createLink({
      ...{ id, node: this.node, connection: this.#connection, counters: this.counters },
      playerAt: (slot) => this.lobby.find(id)?.seats.playerAt(slot),
      mayShow: () => this.#guard?.mayShow(id) !== false,
      isWanted: () => this.#nodes?.isWanted(id) === true,
      requestStop: (reason) => this.ask(this.record(id)?.node ?? '', 'stop', { match: id, reason }),
    });
  }

  // Drain.

  /** Drains a node of the fleet. @param {string} node @param {boolean} on @returns {Promise<{matches: number}>} left there */
  async drainNode(node, on) {
    if (!this.nodes.all.some((each) => each.node === node && each.alive)) {
      throw new PitvError('PITV_FLEET_AWAY', `There is no node "${node}", or it is away.`);
    }
    if (node !== this.node) return this.ask(node, 'drain', { on });
    await this.drain(on);
    return { matches: this.matches.own.length };
  }

  /** Gives all matches of this node to others, and takes no more. @param {boolean} [on] false: it takes matches again */
  async drain(on = true) {
    this.nodes.drains = on;
    this.#beats?.send();
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
    if (this.#matches && this.#membership.hasLease) {
      await this.drain().catch((error) => {
        this.log.info({ error: messageOf(error) }, 'matches of this node are not given away');
      });
    }
    for (const end of this.#ends) end();
    this.#matches?.close();
    this.#checkpoints.close();
    for (const table of Object.values(this.#tables)) table.close();
    await this.#connection.close();
  }
}
