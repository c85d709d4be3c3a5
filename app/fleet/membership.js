/**
 * Decides which nodes of a fleet are alive, and whether this node may run matches that others could take over. Every
 * node sends a beat several times a second, with the beats that it has received from the others.
 *
 * - A node holds the lease while a majority of all nodes, itself included, has acknowledged a beat that it sent less
 *   than LEASE_MS ago.
 * - A node that has not received another one's beats for EXPIRE_MS declares it dead, and never acknowledges that start
 *   of it again. A node is dead when a majority says so.
 *
 * LEASE_MS is less than EXPIRE_MS, and any two majorities have a node in common. Therefore, a node that is dead has no
 * lease, whatever the network does. Times are those of the monotonic clock of one machine; they are never compared
 * between machines.
 *
 * - A node to which all servers say that no other node is connected to any of them is the whole fleet: the others can
 *   have received no beat that this one has not.
 *
 * A bucket of JetStream is no substitute: when the server that leads it dies, it accepts no writes for 4 to 9 seconds.
 */

/** Time between beats. */
export const BEAT_MS = 200;
/** Time after a beat was sent for which its acknowledgement gives the lease. */
export const LEASE_MS = 800;
/** Time without a beat after which a node is declared dead. */
export const EXPIRE_MS = 1100;
/** Time that a node which has started again has to claim its matches. */
const RECLAIM_MS = 1500;
const MAX_SENT = 64;
/** Time without any other node at the servers after which this one is alone: a node may be changing its server. */
const ALONE_MS = 1000;
/**
 * After how many beats that another node has received, and this one has not, this one needs another way: in less than
 * EXPIRE_MS. If two nodes miss each other, the first one by name moves first, and the second one may hear it then.
 */
const MISSED = Object.freeze({ first: 3, second: 4 });
/** Distance between the numbers of two starts of a node's process; the numbers between them are for startAgain(). */
export const STARTS = 1000;

/**
 * @typedef {object} Beat
 * @property {string} node
 * @property {number} start number of this start of the node, larger than those before
 * @property {number} sequence number of the beat since then, from 1
 * @property {Record<string, [start: number, sequence: number, heldMs: number]>} heard the newest beats of nodes that
 *   are not declared dead, and how long ago they have come
 * @property {Record<string, number>} dead starts of nodes that the sender has declared dead
 * @property {any} about what else the node tells about itself
 *
 * @typedef {object} Peer another node
 * @property {Beat} beat the newest one
 * @property {number} at when it came, ms
 * @property {number} startedAt when the first beat of its start came, ms
 * @property {number} acknowledged sequence of the newest own beat that the node has received; 0: none
 * @property {number} [lagMs] time from here to the node and back
 */

export class Membership {
  /**
   * All nodes that belong to the fleet, with the number of their last known start, and when this node has learned of
   * them, ms.
   * @type {Map<string, {start: number, since: number}>}
   */
  #members;
  /** @type {Map<string, Peer>} */
  #peers = new Map();
  /** Starts that this node has declared dead. @type {Map<string, number>} */
  #declared = new Map();
  /** When the newest beats were sent, ms, by sequence. @type {Map<number, number>} */
  #sent = new Map();
  #sequence = 0;
  /** When all servers were asked last, and since when they have said that no other node is there, ms. */
  #asked = { at: -Infinity, aloneSince: Infinity };

  /**
   * @param {object} options
   * @param {string} options.node name of this node
   * @param {number} options.start larger than those of earlier starts of this node
   * @param {() => number} [options.clock] monotonic, ms
   */
  constructor({ node, start, clock = () => performance.now() }) {
    this.node = node;
    /** Number of this start. */
    this.start = start;
    this.clock = clock;
    this.#members = new Map([[node, { start, since: 0 }]]);
  }

  /**
   * Sets which nodes belong to the fleet, alive or not.
   * @param {Map<string, {start: number}>} members with the number of their last known start
   */
  setMembers(members) {
    const known = this.#members;
    this.#members = new Map([[this.node, { start: this.start, since: 0 }]]);
    for (const [name, { start }] of members) {
      const since = known.get(name)?.since ?? this.clock();
      if (name !== this.node) this.#members.set(name, { start, since });
    }
    for (const name of this.#peers.keys()) if (!this.#members.has(name)) this.#peers.delete(name);
  }

  get members() {
    return [...this.#members.keys()];
  }
  /** How many nodes are more than half of the fleet. */
  get majority() {
    return Math.floor(this.#members.size / 2) + 1;
  }

  /**
   * Notes what the servers have answered.
   * @param {number} at when they were asked, ms @param {{servers: number, nodes: string[]}} [answer] of all servers
   */
  noteServers(at, { servers, nodes } = { servers: 0, nodes: [] }) {
    const others = this.members.filter((name) => name !== this.node && nodes.includes(name));
    const isSteady = at - this.#asked.at < LEASE_MS && this.#asked.aloneSince !== Infinity;
    const since = isSteady ? this.#asked.aloneSince : at;
    const hasAll = servers >= this.#members.size && others.length === 0;
    this.#asked = { at, aloneSince: hasAll ? since : Infinity };
  }

  /** Whether all other nodes have ended, and this one is the whole fleet. */
  get isAlone() {
    const { at, aloneSince } = this.#asked;
    return at - aloneSince >= ALONE_MS && this.clock() - at < LEASE_MS;
  }

  /** Starts counting the silence of other nodes. Call it when this node can receive their beats. */
  listen() {
    const now = this.clock();
    for (const member of this.#members.values()) member.since = now;
  }

  /** Makes the next beat to send. @param {unknown} about @returns {Beat} */
  beat(about) {
    const now = this.clock();
    this.#declareSilent(now);
    this.#sent.set(++this.#sequence, now);
    this.#sent.delete(this.#sequence - MAX_SENT);
    /** @type {Beat['heard']} */
    const heard = {};
    for (const [name, { beat, at }] of this.#peers) {
      if (this.#hasDeclared(beat)) continue;
      heard[name] = [beat.start, beat.sequence, Math.round(now - at)];
    }
    return {
      node: this.node,
      start: this.start,
      sequence: this.#sequence,
      heard,
      dead: Object.fromEntries(this.#declared),
      about,
    };
  }

  /** Tells whether no beat of a start of a node has come. @param {Pick<Beat, 'node' | 'start'>} beat checked */
  isNewStart({ node, start }) {
    return (this.#peers.get(node)?.beat.start ?? -1) < start;
  }

  /**
   * Receives a beat of another node.
   * @param {Beat} beat checked @returns {boolean} false: it is old, or of a stranger
   */
  receive(beat) {
    const { node, start, sequence } = beat;
    if (node === this.node || !this.#members.has(node)) return false;
    const last = this.#peers.get(node);
    const { start: lastStart, sequence: lastSequence } = last?.beat ?? { start: 0, sequence: 0 };
    if (lastStart > start || (lastStart === start && lastSequence >= sequence)) return false;
    const [ownStart, sequenceHeard, heldMs] = beat.heard[this.node] ?? [0, 0, 0];
    const now = this.clock();
    const acknowledged = ownStart === this.start ? sequenceHeard : 0;
    const sentAt = this.#sent.get(acknowledged);
    this.#peers.set(node, {
      beat,
      at: now,
      startedAt: last?.beat.start === start ? last.startedAt : now,
      acknowledged,
      lagMs: sentAt === undefined ? undefined : Math.max(0, now - sentAt - heldMs),
    });
    return true;
  }

  /** @param {string} name @param {number} start */
  #declare(name, start) {
    this.#declared.set(name, Math.max(start, this.#declared.get(name) ?? 0));
  }

  /**
   * Returns the newest start of a node that another one has declared dead: this one may have missed it.
   * @param {string} name @param {number} start the newest one that this node knows @returns {number}
   */
  #newestDead(name, start) {
    return Math.max(start, ...[...this.#peers.values()].map(({ beat }) => beat.dead[name] ?? 0));
  }

  /**
   * Tells whether what a start of a node has written may be taken over. If no beat of that start has come, this node
   * declares it dead first: it has acknowledged none.
   * @param {string} node @param {number} start
   */
  mayTakeFrom(node, start) {
    if (node !== this.node && this.isNewStart({ node, start })) this.#declare(node, start);
    return this.isDead(node, start);
  }

  /** Declares nodes dead from which nothing has come. @param {number} now */
  #declareSilent(now) {
    for (const [name, { start, since }] of this.#members) {
      if (name === this.node) continue;
      const { beat, at } = this.#peers.get(name) ?? { at: since };
      // Without a beat, this process has acknowledged none. An earlier one of this node may have, before it ended.
      const last = beat?.start ?? Math.floor(start / STARTS) * STARTS + STARTS - 1;
      if (now - at > EXPIRE_MS) this.#declare(name, this.#newestDead(name, last));
      else if (beat && !this.#hasDeclared(beat)) this.#declared.delete(name); // it has started again
    }
  }

  /** @param {Beat} beat */
  #hasDeclared({ node, start }) {
    return (this.#declared.get(node) ?? -1) >= start;
  }

  /** Whether this node may show and change matches that others could take over. */
  get hasLease() {
    const now = this.clock();
    const times = [...this.#peers.values()].map(
      ({ acknowledged }) => this.#sent.get(acknowledged) ?? -Infinity,
    );
    const newest = [now, ...times].sort((a, b) => b - a);
    const since = newest[this.majority - 1] ?? -Infinity;
    return now - since < LEASE_MS || this.isAlone;
  }

  /** Whether another node has declared this start of this node dead, which then has to begin a new one. */
  get isDeclaredDead() {
    return this.#newestDead(this.node, 0) >= this.start;
  }

  /** Begins a new start of this node, after it has been declared dead. */
  startAgain() {
    this.start = this.#newestDead(this.node, this.start) + 1;
    this.#sent.clear();
    for (const peer of this.#peers.values()) peer.acknowledged = 0;
  }

  /**
   * Tells whether a start of a node is dead, so that its matches may be taken over: a majority has declared it dead, or
   * the node has started again and has not claimed them.
   * @param {string} node @param {number} start
   */
  isDead(node, start) {
    if (node === this.node) return start < this.start;
    const now = this.clock();
    const peer = this.#peers.get(node);
    if (this.isAlone) return now - (peer?.at ?? -Infinity) > EXPIRE_MS; // it may have begun a start since
    if (peer && peer.beat.start > start) return now - peer.startedAt > RECLAIM_MS;
    this.#declareSilent(now);
    const own = (this.#declared.get(node) ?? -1) >= start ? 1 : 0;
    const others = [...this.#peers.values()].filter(
      ({ beat }) => beat.node !== node && (beat.dead[node] ?? -1) >= start,
    );
    return own + others.length >= this.majority;
  }

  /** Tells whether the last known start of a node is dead, or the node was removed. @param {string} node */
  isGone(node) {
    const start = this.#peers.get(node)?.beat.start ?? this.#members.get(node)?.start;
    return start === undefined || this.isDead(node, start);
  }

  /**
   * Finds a node that this one does not hear, or has never heard, and another one does. The beat that tells so was sent
   * after those that are missing, so it is not the node that is slow.
   * @returns {{missed: string, through: string, about: any} | undefined} the node, and the one that hears it
   */
  get detour() {
    for (const { beat: teller } of this.alive) {
      for (const [missed, [start, sequence]] of Object.entries(teller.heard)) {
        const last = this.#peers.get(missed)?.beat;
        const { since = Infinity } = this.#members.get(missed) ?? {};
        if (missed === this.node || (last && last.start !== start)) continue;
        const limit = this.node < missed ? MISSED.first : MISSED.second;
        const beats = last ? sequence - last.sequence : (this.clock() - since) / BEAT_MS;
        if (beats < limit) continue;
        return { missed, through: teller.node, about: teller.about };
      }
    }
    return undefined;
  }

  /** The other nodes from which beats come. @returns {Peer[]} */
  get alive() {
    const now = this.clock();
    return [...this.#peers.values()].filter(
      ({ beat, at }) => now - at <= EXPIRE_MS && !this.#hasDeclared(beat),
    );
  }
}
