/**
 * One node of the model of a fleet: the classes of app/fleet that decide who runs and shows a match, made synchronous,
 * and what they use. What they await is there at once.
 */
import { readFileSync } from 'node:fs';
import { PitvError, messageOf } from '../../app/errors.js';
import { FleetCounters } from '../../app/fleet/fleet-counters.js';
import { gameOf } from '../../app/fleet/match-records.js';
import { PROTOCOL } from '../../app/fleet/wire.js';

const FILES = [
  'membership',
  'nodes',
  'lease-guard',
  'tables',
  'checkpoints',
  'mirrors',
  'fleet-matches',
];
export const ID = 1;
/** Time at which the model begins. */
export const BEGIN_MS = 1e9;
/** A node that has no lease for this time may say that it is cut off. */
const GRACE_MS = 1000;
const WRONG_REVISION = 10071;

const log = Object.freeze({
  debug() {},
  info() {},
  /** @param {{error?: string}} about @param {string} sentence */
  warn({ error }, sentence) {
    if (sentence === 'a change cannot be read') throw new Error(error);
  },
});
const counters = new FleetCounters();
const seats = Object.freeze({ slots: [], roster: [] });
const game = Object.freeze({ id: 'game', hash: '' });
const games = Object.freeze({ own: () => game, has: () => true, learn: () => game });

/** What the classes import. */
const IMPORTS = {
  PROTOCOL,
  PitvError,
  messageOf,
  gameOf,
  noteStart: () => ({ catch() {} }),
  JSON: { stringify: (/** @type {unknown} */ value) => value }, // messages are objects that are frozen
  performance: { now: () => 0 },
  encodeMatch: (/** @type {any} */ { tick }) => Buffer.from(String(tick)),
  decodeMatch: (/** @type {Buffer} */ bytes) => ({
    saved: { tick: Number(bytes), seats: [] },
    checkpoint: bytes,
  }),
  recordOf: (/** @type {any} */ { epoch }, /** @type {object} */ owner) =>
    Object.freeze({ id: ID, game: game.id, hash: '', epoch, seats: [], restarts: 0, ...owner }),
  EventEmitter: class {
    /** @type {any} */
    mirrors;
    epoch = 0;
    /** @param {string} _table @param {string} _key @param {any} record */
    emit(_table, _key, record) {
      if (record.epoch < this.epoch) throw new Error('a record names a former owner again');
      this.epoch = record.epoch;
      this.mirrors.own_apply(record);
    }
  },
};

/**
 * Returns the classes of app/fleet as synchronous ones, whose private fields are readable.
 * @param {(source: string) => string} [change] for the tests of the model
 */
export function loadGuards(change = (source) => source) {
  const files = FILES.map((name) => new URL(`../../app/fleet/${name}.js`, import.meta.url));
  const source = change(files.map((file) => readFileSync(file, 'utf8')).join('\n'))
    .replace(/^import [^;]*;$/gm, '')
    .replace(/^export /gm, '')
    .replace(/\b(async|await) /g, '')
    .replace(/#(\w+)/g, 'own_$1');
  const classes = 'Membership, Nodes, LeaseGuard, Tables, Checkpoints, FleetMatches';
  const guards = new Function(...Object.keys(IMPORTS), `${source}; return { ${classes} };`)(
    ...Object.values(IMPORTS),
  );
  guards.Tables.prototype.own_write = () => {}; // the world does it
  Object.defineProperty(guards.Nodes.prototype, 'self', { value: {} });
  guards.Checkpoints.prototype.own_bucketOf = function bucketOf(/** @type {string} */ owner) {
    return new Bucket(this.of.world, this.node, owner);
  };
  return Object.freeze(guards);
}

/** A bucket of the checkpoints of one node, as a node uses it. */
class Bucket {
  /** @param {import('./model.js').World} world @param {string} user @param {string} owner */
  constructor(world, user, owner) {
    this.world = world;
    this.isOwn = user === owner;
    this.user = user;
    this.stored = world.buckets[owner];
  }

  #reach() {
    if (!this.world.hasServers(this.user)) throw new Error('no answer');
  }

  get() {
    this.#reach();
    const isOld = this.world.has('what JetStream answers is old') && !this.isOwn;
    return isOld ? this.stored.before : this.stored.entry;
  }

  /** @param {string} _key @param {Buffer} value @param {{previousSeq?: number}} options */
  put(_key, value, { previousSeq }) {
    this.#reach();
    if (previousSeq !== undefined && previousSeq !== (this.stored.entry?.revision ?? 0)) {
      throw Object.assign(new Error('wrong revision'), { code: WRONG_REVISION });
    }
    const { revision } = this.#store({ operation: 'PUT', value });
    const [, tick] = /^start \d+\n(\d+)$/.exec(String(value)) ?? [];
    if (tick) this.world.saved = Math.max(this.world.saved, Number(tick));
    return revision;
  }

  delete() {
    this.#reach();
    this.#store({ operation: 'DEL', value: Buffer.alloc(0) });
  }

  /** @param {{operation: string, value: Buffer}} entry */
  #store(entry) {
    this.stored.entry = Object.freeze({ ...entry, revision: ++this.stored.revision });
    if (this.world.has('answers of JetStream are lost')) throw new Error('no answer');
    return this.stored.entry;
  }
}

/** The match at one node, and its worker. */
export class Match {
  id = ID;
  seats = seats;
  game = game;
  worker = this;
  /** Where it runs, as this node knows. @type {'here' | 'elsewhere' | 'nowhere'} */
  place = 'nowhere';
  epoch = 1;
  tick = 0;
  /** @param {Lobby} lobby */
  constructor(lobby) {
    this.lobby = lobby;
  }
  get isOwn() {
    return this.place !== 'elsewhere';
  }
  get running() {
    return this.place !== 'nowhere';
  }

  /** @param {{tick: number}} [checkpoint] */
  start(checkpoint) {
    this.place = 'here';
    this.tick = checkpoint?.tick ?? 0;
    return { catch() {} };
  }
  release() {
    if (this.place !== 'here') return undefined;
    this.lobby.node.matches.own_tell(this); // a player leaves while the worker stops
    this.place = 'nowhere';
    return { tick: this.tick };
  }
  snapshot() {
    return this.place === 'here' ? { saved: { tick: this.tick } } : undefined;
  }
  /** @param {{epoch: number}} record */
  follow({ epoch }) {
    this.place = 'elsewhere';
    this.epoch = epoch;
  }
}

/** The lobby of one node. */
class Lobby {
  /** @type {Match | undefined} */
  match;
  /** @param {Node} node */
  constructor(node) {
    this.node = node;
  }
  get matches() {
    return this.match ? [this.match] : [];
  }
  find() {
    return this.match;
  }
  /** @param {{epoch: number}} record */
  mirror(record) {
    this.match = new Match(this);
    this.match.follow(record);
    return this.match;
  }
  emit() {}
}

/** A node, in the place of a Fleet. */
export class Node {
  games = games;
  log = log;
  isOpen = true;
  lobby = new Lobby(this);
  /** When this node has last held the lease, ms. */
  leasedAt = BEGIN_MS;
  wasCutOff = false;

  /** @param {import('./model.js').World} world @param {string} name @param {number} start */
  constructor(world, name, start) {
    const { Membership, Nodes, LeaseGuard, Tables, Checkpoints, FleetMatches } = world.guards;
    this.world = world;
    this.node = name;
    this.partition = world.partition;
    this.membership = new Membership({ node: name, start });
    this.tables = new Tables({ node: name, connection: { log }, isValid: () => true });
    this.checkpoints = new Checkpoints({ log }, name);
    this.checkpoints.of = this;
    this.nodes = new Nodes(this);
    this.guard = new LeaseGuard(this);
    this.matches = new FleetMatches(this);
    this.tables.mirrors = this.matches.mirrors;
    this.connect();
  }

  /** Sets the functions that refer to this node. */
  connect() {
    const { world, membership, nodes, tables } = this;
    membership.clock = () => world.now;
    tables.connection = this.connection;
    nodes.own_afterBeat = () => this.check();
  }

  get counters() {
    return counters;
  }
  get connection() {
    const { world, node } = this;
    return {
      askServers: () => world.askServers(node),
      publish: (/** @type {string} */ _subject, /** @type {object} */ message) =>
        world.send(node, message),
    };
  }
  record() {
    return this.tables.get('matches', String(ID));
  }
  /** @param {object} change that JetStream or another node has */
  learn(change) {
    this.tables.receive({ json: () => change });
  }
  /** Reads the table that JetStream has, and sends the own changes again. */
  catchUp() {
    const { world, tables, node } = this;
    if (world.table && world.hasServers(node)) this.learn(world.table);
    tables.repeat();
  }

  /** Whether frames of the match go from here to a screen. */
  get shows() {
    return this.lobby.match?.place === 'here' && this.guard.mayShow(ID);
  }

  /** Checks after each beat that this node says when it has lost the others, and only then. */
  check() {
    const { guard, matches, membership, wasCutOff, world } = this;
    this.wasCutOff = guard.isCutOff;
    if (guard.isCutOff && !wasCutOff && world.now - this.leasedAt <= GRACE_MS) {
      throw new Error(`${this.node} says that it is cut off, and held the lease a moment ago`);
    }
    if (typeof matches.own_held.get(ID) === 'object' && !guard.isCutOff) {
      throw new Error(`${this.node} pauses the match and does not say why`);
    }
    if (membership.hasLease) this.leasedAt = world.now;
  }

  /** @param {any} message a beat or a change */
  receive(message) {
    if (message.table) this.learn(message);
    else this.nodes.own_receiveBeat(message);
  }
}
