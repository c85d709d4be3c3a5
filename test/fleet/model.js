/**
 * Runs three nodes of a fleet and one match through all sequences of events. The classes that decide who runs and shows
 * the match are those of app/fleet, see model-node.js. The network, JetStream and the clock are those of this file.
 *
 * After each event, the nodes send two beats. Equal states are explored once; in a state, times count by how long ago
 * they were, and checkpoints by whether they are older than the newest one.
 */
import { messageOf } from '../../app/errors.js';
import { BEAT_MS, STARTS } from '../../app/fleet/membership.js';
import { copy } from './explore.js';
import { BEGIN_MS, ID, Match, Node } from './model-node.js';

const NAMES = ['a', 'b', 'c'];
/** Beats of each node after an event. */
const BEATS = 2;
/** Longer than all times that the nodes compare. */
const LONG_MS = 2000;
/** Events that are nothing until the match runs again. */
const SETTLE_EVENTS = 15;

const APART = 'a and b are apart';
const DEAF = 'c hears nobody';
const BACK = 'the node is back';
const EMPTY = 'JetStream has lost everything';
/** What may happen in the time of two beats. A change is a new record of the match. */
const FAILURES = [
  'messages are late',
  'changes are lost',
  'no JetStream',
  'no JetStream, changes are lost',
  'answers of JetStream are lost',
  'what JetStream answers is old',
  EMPTY,
  'no link',
  APART,
  DEAF,
  ...NAMES.map((name) => `${name} is alone`),
];
/** One node at a time, or two, does not run or is connected to no server, until it is back. The servers live. */
const DOWN = [
  ...NAMES.flatMap((name) => [`${name} dies`, `${name} is suspended`, `${name} has no server`]),
  'a and b dies',
  'a and b has no server',
];

export class World {
  now = BEGIN_MS;
  event = 'nothing';
  /** @type {Record<string, Node>} */
  nodes = {};
  /** Nodes that are dead, suspended or connected to no server. @type {{names: string[], how: string} | undefined} */
  down;
  /** @type {Record<string, {revision: number, entry: any, before: any}>} */
  buckets = {};
  /** The newest change of the record that JetStream has. @type {any} */
  table;
  /** Tick of the newest checkpoint. */
  saved = 0;
  /** Messages under way. @type {{to: string, message: any}[]} */
  queue = [];
  /** Messages that come later. @type {{to: string, message: any}[]} */
  held = [];
  /** The events so far. @type {readonly string[]} */
  path = [];

  /**
   * @param {object} guards see loadGuards() @param {'pause' | 'continue'} partition see FleetSettings
   * @param {readonly string[]} [failures] those that may happen; by default all
   * @param {number} [tick] of the match, which a node has saved and resumes while JetStream is away
   */
  constructor(guards, partition, failures = [...FAILURES, ...DOWN], tick = 0) {
    this.failures = Object.freeze(['nothing', ...failures]);
    this.guards = /** @type {any} */ (guards);
    this.partition = partition;
    for (const name of NAMES) {
      this.buckets[name] = { revision: 0, entry: null, before: null };
      this.startNode(name, STARTS);
    }
    for (let i = 0; i < 4; i++) this.run();
    const { lobby, matches } = this.nodes.a;
    lobby.match = new Match(lobby);
    if (tick > 0) {
      matches.keepPrivate(ID);
      this.event = 'no JetStream';
      this.saved = tick;
    }
    lobby.match.start({ tick });
    matches.own_onStarted(lobby.match);
    for (let i = 0; i < 2; i++) this.run();
  }

  /** @param {string} name @param {number} start */
  startNode(name, start) {
    const node = new Node(this, name, start);
    this.nodes[name] = node;
    const members = new Map();
    for (const each of NAMES) members.set(each, this.nodes[each]?.membership ?? { start: STARTS });
    node.membership.setMembers(members);
    if (this.table) node.learn(this.table);
    node.matches.mirrors.refresh();
    node.membership.listen();
  }

  /** @returns {World} */
  copy() {
    const world = copy(this);
    for (const name of NAMES) world.nodes[name].connect();
    return world;
  }

  /** What may happen now. */
  get events() {
    if (!this.down) return this.failures;
    return [...this.failures.filter((event) => !DOWN.includes(event)), BACK];
  }

  /**
   * Counts the failures that would begin with an event. Most servers have ended when JetStream has lost everything, so
   * that comes with no other one.
   * @param {string} event @param {number} most how many there may be
   */
  failuresIn(event, most) {
    if (['nothing', BACK, this.event].includes(event)) return 0;
    return event === EMPTY ? most : 1;
  }

  /** Tells whether something happens now. An event may consist of several things. @param {string} what */
  has(what) {
    return this.event.includes(what);
  }

  /** @param {string} name */
  runs(name) {
    return this.down?.how === 'has no server' || !this.down?.names.includes(name);
  }

  /** Whether a node is connected to its server. @param {string} name */
  isConnected(name) {
    return !this.down?.names.includes(name) || this.down.how === 'is suspended';
  }

  /** @param {string} from @param {string} to */
  linked(from, to) {
    if (this.has('no link') || (this.has(APART) && from !== 'c' && to !== 'c')) return false;
    return !this.has(`${from} is alone`) && !this.has(`${to} is alone`);
  }

  /** Whether a node reaches most servers, and these answer. @param {string} name */
  hasServers(name) {
    const others = NAMES.filter((other) => other !== name);
    const hasMost = others.some((other) => this.linked(name, other));
    return this.isConnected(name) && !this.has('no JetStream') && hasMost;
  }

  /** See FleetConnection. @param {string} name */
  askServers(name) {
    if (!this.isConnected(name)) throw new Error('no answer');
    const servers = NAMES.filter((other) => other === name || this.linked(other, name));
    if (servers.length < NAMES.length) return undefined;
    return { servers: servers.length, nodes: NAMES.filter((other) => this.isConnected(other)) };
  }

  /** @param {string} from @param {any} message a beat or a change */
  send(from, message) {
    Object.freeze(message);
    if (message.table && this.has('changes are lost')) return;
    if (!this.isConnected(from)) return;
    for (const to of NAMES) {
      if (to === from || !this.isConnected(to) || !this.linked(from, to)) continue;
      if (this.has(DEAF) && to === 'c') continue;
      const isLate = this.has('messages are late') || !this.runs(to);
      this[isLate ? 'held' : 'queue'].push({ to, message });
    }
  }

  deliver() {
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      this.nodes[next.to].receive(next.message);
      this.check();
    }
  }

  /** Lets an event happen. @param {string} event */
  step(event) {
    this.event = event;
    this.path = Object.freeze([...this.path, event]);
    try {
      this.change(event);
      for (let i = this.has('one beat') ? 1 : 0; i < BEATS; i++) this.run();
    } catch (error) {
      throw this.failed(messageOf(error));
    }
  }

  /** @param {string} what */
  failed(what) {
    return new Error(`${what}, after: ${this.path.join(' | ')}`);
  }

  /** @param {string} event */
  change(event) {
    if (event === EMPTY) {
      for (const name of NAMES) this.buckets[name] = { revision: 0, entry: null, before: null };
      this.table = undefined;
    }
    const [, who, how] = /^(.+) (dies|is suspended|has no server)$/.exec(event) ?? [];
    if (how) {
      const names = who.split(' and ');
      this.down = { names, how };
      if (how !== 'is suspended') this.held = this.held.filter(({ to }) => !names.includes(to));
    } else if (event === BACK && this.down) {
      const { names, how: was } = this.down;
      this.down = undefined;
      for (const name of was === 'dies' ? names : []) {
        const { start } = this.nodes[name].membership;
        this.startNode(name, (Math.floor(start / STARTS) + 1) * STARTS);
      }
    }
  }

  /** Runs all nodes for the time between two beats. */
  run() {
    this.now += BEAT_MS / 2;
    this.check();
    this.now += BEAT_MS / 2;
    for (const name of NAMES) {
      this.buckets[name].before = this.buckets[name].entry;
      const { own_sent: sent } = this.nodes[name].membership;
      for (const [sequence, at] of sent) if (this.now - at > LONG_MS) sent.delete(sequence);
    }
    if (!this.has('messages are late')) {
      this.queue.push(...this.held.filter(({ to }) => this.runs(to)));
      this.held = this.held.filter(({ to }) => !this.runs(to));
    }
    this.deliver();
    for (const name of NAMES) {
      if (!this.runs(name)) continue;
      const node = this.nodes[name];
      const { lobby, matches, tables } = node;
      if (lobby.match?.place === 'here') lobby.match.tick++;
      matches.own_saveAll();
      node.nodes.beat();
      this.deliver();
      this.check();
      const [change] = tables.own_unwritten.values();
      if (!change || !this.hasServers(name)) continue;
      tables.own_unwritten.clear();
      if (this.table?.version > change.version) node.learn(this.table);
      else this.table = change;
    }
  }

  /** The nodes whose frames reach a screen. A node that is cut off and goes on says so. */
  get owners() {
    return NAMES.filter((name) => {
      if (!this.runs(name) || !this.nodes[name].shows) return false;
      return this.partition === 'pause' || !this.nodes[name].guard.isCutOff;
    });
  }

  check() {
    const { owners } = this;
    if (owners.length > 1) throw new Error(`two owners reach a screen: ${owners}`);
    for (const name of owners) {
      const { tick } = /** @type {Match} */ (this.nodes[name].lobby.match);
      if (tick < this.saved) throw new Error(`${name} goes on from an old checkpoint`);
    }
  }

  /** Checks that the match goes on when nothing happens any more. A node that is dead or suspended stays so. */
  settle() {
    for (let i = 0; i < SETTLE_EVENTS; i++) {
      this.step('nothing');
      const [owner] = this.owners.map((name) => this.nodes[name]);
      if (owner && owner.record().start === owner.membership.start) return;
    }
    throw this.failed('the match is lost');
  }

  /** What determines all that follows. */
  get key() {
    const { now, event, saved, buckets, down, table, held } = this;
    const behind = (/** @type {number} */ tick) => Math.max(-8, Math.min(0, tick - saved));
    /** When a node sent a beat of this start. @param {string} name @param {number} start @param {number} sequence */
    const sentAt = (name, start, sequence) => {
      const { membership } = this.nodes[name];
      return membership.start === start ? membership.own_sent.get(sequence) : undefined;
    };
    const keys = NAMES.map((name) => {
      const { membership, guard, tables, checkpoints, matches, lobby, leasedAt } = this.nodes[name];
      const { start, own_members: members, own_declared: declared, own_asked: asked } = membership;
      const bucket = buckets[name];
      const value = bucket.entry?.value.toString();
      return [
        { start, members, declared, asked, leasedAt },
        [...membership.own_peers].map(([peer, { beat, at, startedAt, acknowledged }]) => [
          { peer, start: beat.start, dead: beat.dead, at, startedAt },
          sentAt(name, start, acknowledged),
          sentAt(peer, beat.start, beat.sequence),
        ]),
        [guard.isCutOff, guard.own_lostAt, guard.own_turnsFrom],
        [tables.own_entries, tables.own_unwritten.size],
        checkpoints.own_revisions.get(ID) - bucket.revision, // NaN: it is not known
        [...matches.own_held.values()].map((hold) => (hold.tick ? behind(hold.tick) : hold)),
        matches.own_from,
        lobby.match && [lobby.match.place, lobby.match.epoch, behind(lobby.match.tick)],
        bucket.entry?.operation,
        value?.replace(/\d+$/, (/** @type {string} */ tick) => String(behind(Number(tick)))),
      ];
    });
    return JSON.stringify([keys, event, down, table, held], (_name, each) => {
      if (each instanceof Map) return [...each];
      const isTime = typeof each === 'number' && each >= BEGIN_MS;
      return isTime ? Math.min(now - each, LONG_MS) : each;
    });
  }
}
