/**
 * Tables that all nodes of a fleet have. Each change is sent to all nodes at once, and is written to a bucket of
 * JetStream, from which nodes that join later read it. The newest change of a key wins; the bucket may lag while it has
 * no leader, and a watch of it would, too.
 *
 * The bucket is in the memory of the servers: when a nats-server 2.9 cannot write to its disk, JetStream may wait for
 * itself for ever. What has to outlive all servers is in the bucket of the members, see KEPT.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../errors.js';
import { isMissing } from './connection.js';
import { MEMBERS } from './members.js';

/** Bucket that has them. */
const BUCKET = 'pitv-tables';
/** Opens it. @param {import('./connection.js').FleetConnection} connection */
export const openTableBucket = (connection) => connection.openBucket(BUCKET, { storage: 'memory' });
/** The tables that are in the bucket of the members. Their values seldom change. @type {readonly Table[]} */
const KEPT = Object.freeze(['settings']);
/** Subject of the changes. */
export const CHANGES = 'pitv.shared';
/** Pause before a write is tried again. */
const RETRY_MS = 500;
/** Longer than a bucket has no leader after a server has died. */
const UNSAVED_MS = 15_000;
/** Changes of a value within one epoch: versions of an epoch are above those of all earlier ones. */
const EPOCH_CHANGES = 2 ** 20;
/** Keys of all tables, also deleted ones. */
const MAX_KEYS = 16_384;
/** Length of a change of another node. */
const MAX_CHANGE_BYTES = 256 * 1024;
/**
 * How long a deleted key is remembered, so that a late change does not bring it back, and the record of an ended match,
 * so that nodes that were cut off when it ended can learn its results.
 */
const FORGET_MS = 10 * 60_000;

/**
 * @typedef {import('./join.js').Table} Table
 *
 * @typedef {object} Change
 * @property {Table} table
 * @property {string} key
 * @property {number} version of the key
 * @property {string} node that made it
 * @property {any} value null: deleted
 *
 * @typedef {{change: Change, at: number}} Entry at: when this node has learned it, ms, monotonic
 */

/** Returns the key of a value in the bucket. @param {{table: string, key: string}} change */
const idOf = ({ table, key }) => `${table}.${key}`;

/** Emits the name of a table (key, value) when another node has changed a value; undefined: it has deleted it. */
export class Tables extends EventEmitter {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  /** Changes that the bucket does not have yet. @type {Map<string, Change>} */
  #unwritten = new Map();
  #writing = false;
  /** Since when no change could be written, ms. */
  #failingSince = Infinity;
  /** Sequence number of the last write that the bucket has had. */
  #lastSeq = 0;

  /**
   * @param {object} options
   * @param {string} options.node name of this node
   * @param {import('@nats-io/kv').KV} options.bucket in memory, see openTables()
   * @param {import('@nats-io/kv').KV} options.members on disks
   * @param {import('./connection.js').FleetConnection} options.connection
   * @param {(change: Change) => boolean} options.isValid checks the table, key and value of a change
   */
  constructor({ node, bucket, members, connection, isValid }) {
    super();
    this.node = node;
    this.bucket = bucket;
    this.members = members;
    this.connection = connection;
    this.isValid = isValid;
    this.log = connection.log;
  }

  /** Whether the bucket has taken no change for a while: its disks are full, or it has no majority. */
  get isUnsaved() {
    return performance.now() - this.#failingSince > UNSAVED_MS;
  }

  /** @param {Table} of @returns {IterableIterator<[string, any]>} */
  *entries(of) {
    for (const { change } of this.#entries.values()) {
      const { table, key, value } = change;
      if (table === of && value !== null) yield [key, value];
    }
  }

  /** @param {Table} table @param {string} key @returns {any} undefined if there is none */
  get(table, key) {
    return this.#entries.get(idOf({ table, key }))?.change.value ?? undefined;
  }

  /** Changes a value. @param {Table} table @param {string} key @param {any} value plain data; null: deletes it */
  set(table, key, value) {
    const id = idOf({ table, key });
    const known = this.#entries.get(id)?.change.version ?? 0;
    const version = Math.max((value?.epoch ?? 0) * EPOCH_CHANGES, known + 1);
    const change = { table, key, version, node: this.node, value };
    if (!this.#apply(change)) return;
    this.#send(change);
    this.#unwritten.set(id, change);
    void this.#write();
  }

  /** Changes a value, unless it is the same. @param {Table} table @param {string} key @param {any} value plain data */
  tell(table, key, value) {
    if (!isDeepStrictEqual(this.get(table, key), value)) this.set(table, key, value);
  }

  /** @param {Table} table @param {string} key */
  delete(table, key) {
    if (this.get(table, key) !== undefined) this.set(table, key, null);
  }

  /** Sends a change to all nodes. @param {Change} change */
  #send(change) {
    this.connection.publish(CHANGES, JSON.stringify(change));
  }

  /**
   * Receives a change of another node, or one from the bucket.
   * @param {{json: () => unknown, data?: Uint8Array}} message
   */
  receive(message) {
    if (message.data && message.data.length > MAX_CHANGE_BYTES) return;
    try {
      const { table, key, version, node, value } = Object(message.json());
      const change = { table, key, version, node, value };
      const isChange =
        typeof key === 'string' && Number.isSafeInteger(version) && typeof node === 'string';
      const isKnown = this.#entries.size < MAX_KEYS || this.#entries.has(idOf(change));
      if (!isChange || !isKnown || !this.isValid(change) || !this.#apply(change)) return;
      this.emit(table, key, value ?? undefined);
    } catch (error) {
      this.log.warn({ error: messageOf(error) }, 'a change cannot be read');
    }
  }

  /** @param {Change} change @returns {boolean} false: a newer one is known */
  #apply(change) {
    const { version, node } = change;
    const known = this.#entries.get(idOf(change))?.change;
    if (known && (known.version > version || (known.version === version && known.node >= node))) {
      return false;
    }
    this.#entries.set(idOf(change), { change, at: performance.now() });
    return true;
  }

  /** Writes what the bucket does not have, one change after the other. */
  async #write() {
    if (this.#writing) return;
    this.#writing = true;
    for (;;) {
      const next = this.#unwritten.entries().next().value;
      if (!next || this.connection.isClosed) break;
      const [id, change] = next;
      const bucket = KEPT.includes(change.table) ? this.members : this.bucket;
      try {
        const stored = await bucket.get(id);
        if (stored?.operation === 'PUT') this.receive(stored); // a change that this node has missed
        const previousSeq = stored?.revision ?? 0;
        const { version, node } = this.#entries.get(id)?.change ?? change;
        if (version === change.version && node === change.node) {
          if (change.value === null) await bucket.delete(id, { previousSeq });
          else await bucket.put(id, JSON.stringify(change), { previousSeq });
        }
        if (this.#unwritten.get(id) === change) this.#unwritten.delete(id);
        this.#failingSince = Infinity;
      } catch (error) {
        this.#failingSince = Math.min(this.#failingSince, performance.now());
        this.log.debug({ id, error: messageOf(error) }, 'the bucket took no change');
        const newest = this.#unwritten.get(id) ?? change;
        this.#unwritten.delete(id);
        this.#unwritten.set(id, newest); // after those of other keys
        await delay(RETRY_MS);
      }
    }
    this.#writing = false;
  }

  /**
   * Reads the bucket, in which the node that deletes a key removes its value. Call it when changes are received, and
   * again after the connection was lost.
   * @throws {Error} when the bucket has no leader
   */
  async read() {
    for (const name of [MEMBERS, BUCKET]) {
      for await (const message of this.connection.readBucket(name)) this.receive(message);
    }
  }

  /**
   * Writes everything again if the servers have lost the bucket, because most of them ended at once. Call it now and
   * then. @throws {Error} when the bucket has no leader
   */
  async check() {
    const lastSeq = await this.bucket.status().then(
      ({ streamInfo }) => streamInfo.state.last_seq,
      async (error) => {
        if (!isMissing(error)) throw error;
        await openTableBucket(this.connection);
        return -1;
      },
    );
    const isLost = lastSeq < this.#lastSeq;
    this.#lastSeq = lastSeq;
    if (!isLost) return;
    this.log.warn('the servers of the fleet have lost its tables; they are written again');
    for (const [id, { change }] of this.#entries) {
      if (change.value !== null && !KEPT.includes(change.table)) this.#unwritten.set(id, change);
    }
    void this.#write();
  }

  /**
   * Sends all own values again, for nodes that were just joining or cut off. Forgets what is over: all nodes do so, in
   * case the one that wrote it is gone.
   */
  repeat() {
    const now = performance.now();
    for (const [id, { change, at }] of this.#entries) {
      const { table, key, value, node } = change;
      const isOver = value === null || (table === 'matches' && value.end);
      if (isOver && now - at > FORGET_MS) {
        if (value === null) this.#entries.delete(id);
        else this.delete(table, key);
      } else if (node === this.node) this.#send(change);
    }
  }
}
