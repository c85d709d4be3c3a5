/**
 * One node of the model of a fleet: the classes of app/fleet that decide who runs and shows a match, made synchronous,
 * and what they use. What they await is there at once.
 */
import { readFileSync } from 'node:fs';
import { PitvError, messageOf } from '../../app/errors.js';
import { firstVersion } from '../../app/fleet/match-records.js';

const FILES = [
  'membership',
  'lease-guard',
  'shared-map',
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

const log = Object.freeze({ debug() {}, info() {}, warn() {} });
const counters = {
  cutOffs: 0,
  lost: 0,
  takeovers: { dead: 0 },
  checkpoints: { written: 0, failed: 0 },
  checkpointMs: 0,
};
const seats = Object.freeze({ slots: [], roster: [] });
const game = Object.freeze({ id: 'game', hash: '' });
const games = Object.freeze({ own: () => game, learn() {} });

/** What the classes import. */
const IMPORTS = {
  PitvError,
  messageOf,
  firstVersion,
  keepResults() {},
  delay() {},
  describeMatch() {},
  describeEnd() {},
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
    /** @param {string} _event @param {string} _key @param {any} record @param {boolean} isOwn */
    emit(_event, _key, record, isOwn) {
      if (record.epoch < this.epoch) throw new Error('a record names a former owner again');
      this.epoch = record.epoch;
      if (!isOwn) this.mirrors?.own_apply(record);
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
  const classes = 'Membership, LeaseGuard, SharedMap, Checkpoints, FleetMatches';
  const guards = new Function(...Object.keys(IMPORTS), `${source}; return { ${classes} };`)(
    ...Object.values(IMPORTS),
  );
  guards.SharedMap.prototype.own_write = () => {}; // the world does it
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
  /** Where it runs, as this node knows. @type {'here' | 'elsewhere' | 'nowhere'} */
  place = 'nowhere';
  epoch = 1;
  tick = 0;
  /** @param {Lobby} lobby */
  constructor(lobby) {
    this.lobby = lobby;
  }
  get worker() {
    return this;
  }
  get seats() {
    return seats;
  }
  get game() {
    return game;
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
  /** @param {number} epoch */
  follow(epoch) {
    this.place = 'elsewhere';
    this.epoch = epoch;
  }
  noteRestarts() {}
  notePause() {}
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
  mirror({ epoch }) {
    this.match = new Match(this);
    this.match.follow(epoch);
    return this.match;
  }
  emit() {}
}

/** A node, in the place of a Fleet. */
export class Node {
  lobby = new Lobby(this);
  /** When this node has last held the lease, ms. */
  leasedAt = BEGIN_MS;

  /** @param {import('./model.js').World} world @param {string} name @param {number} start */
  constructor(world, name, start) {
    const { Membership, LeaseGuard, SharedMap, Checkpoints, FleetMatches } = world.guards;
    this.world = world;
    this.node = name;
    this.partition = world.partition;
    this.membership = new Membership({ node: name, start });
    this.tables = { matches: new SharedMap({ node: name, isValid: () => true, log }) };
    this.checkpoints = new Checkpoints({ node: name, log });
    this.checkpoints.of = this;
    this.guard = new LeaseGuard(this);
    this.matches = new FleetMatches(this);
    this.tables.matches.mirrors = this.matches.mirrors;
    this.connect();
  }

  /** Sets the functions that refer to this node. */
  connect() {
    const { world, node, membership, tables, matches } = this;
    membership.clock = () => world.now;
    tables.matches.send = (/** @type {object} */ change) => world.send(node, { change });
    matches.mirrors.own_onLost = (/** @type {Match} */ match) => matches.own_lose(match);
  }

  get counters() {
    return counters;
  }
  get games() {
    return games;
  }
  get log() {
    return log;
  }
  get nodes() {
    return this;
  }
  get connection() {
    return { askServers: () => this.world.askServers(this.node) };
  }
  /** The living nodes, in the order in which they take over matches. */
  ranking() {
    const others = this.membership.alive.map((/** @type {any} */ { beat }) => beat.node);
    return [this.node, ...others].sort().map((node) => ({ node }));
  }
  record() {
    return this.tables.matches.get(String(ID));
  }
  /** Reads the table that JetStream has, and sends the own changes again. */
  catchUp() {
    const { world, tables, node } = this;
    if (world.table && world.hasServers(node)) tables.matches.receive(world.table);
    tables.matches.repeat();
  }

  /** Whether frames of the match go from here to a screen. */
  get shows() {
    return this.lobby.match?.place === 'here' && this.guard.mayShow(ID);
  }

  beat() {
    const { membership, guard, matches, world } = this;
    const wasCutOff = guard.isCutOff;
    if (membership.hasLease) this.leasedAt = world.now;
    world.send(this.node, {
      beat: membership.beat({}),
    });
    guard.check();
    if (guard.isCutOff && !wasCutOff && world.now - this.leasedAt <= GRACE_MS) {
      throw new Error(`${this.node} says that it is cut off, and held the lease a moment ago`);
    }
    if (matches.own_paused.size > 0 && !guard.isCutOff) {
      throw new Error(`${this.node} pauses the match and does not say why`);
    }
  }

  /** @param {{beat?: any, change?: any}} message */
  receive({ beat, change }) {
    const { membership, tables, guard } = this;
    if (change) return void tables.matches.receive(change);
    const isNewStart = membership.isNewStart(beat);
    if (!membership.receive(beat)) return;
    if (isNewStart) tables.matches.repeat();
    if (guard.checkStart()) this.beat();
  }
}
