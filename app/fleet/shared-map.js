/**
 * A table that all nodes of a fleet have. Each change is sent to all nodes at once, and is written to a bucket of
 * JetStream, from which nodes that join later read it. The newest change of a key wins; the bucket may lag while it has
 * no leader.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../errors.js';

/** Pause before a write is tried again. */
const RETRY_MS = 500;
/** Longer than a bucket has no leader after a server has died. */
const UNSAVED_MS = 15_000;
/** How long a deleted key is remembered, so that a late change does not bring it back. */
const FORGET_MS = 10 * 60_000;

/**
 * @typedef {object} Entry
 * @property {number} version of the key
 * @property {string} node that made it
 * @property {any} value null: deleted
 * @property {number} [deletedAt] ms, monotonic
 *
 * @typedef {{key: string, version: number, node: string, value: any}} Change
 * @typedef {{json: () => unknown}} Stored
 */

/** Emits 'change' (key, value, isOwn) when a value has changed; a value of undefined was deleted. */
export class SharedMap extends EventEmitter {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  /** Changes that the bucket does not have yet. @type {Map<string, Change>} */
  #unwritten = new Map();
  #writing = false;
  #closed = false;
  /** Since when no change could be written, ms. */
  #failingSince = Infinity;

  /**
   * @param {object} options
   * @param {string} options.node name of this node
   * @param {import('@nats-io/kv').KV} options.bucket
   * @param {() => AsyncIterable<Stored>} options.stored reads all that the bucket has
   * @param {(change: Change) => void} options.send sends a change to all nodes
   * @param {(key: string, value: any) => boolean} options.isValid checks values of other nodes
   * @param {import('pino').Logger} options.log
   */
  constructor({ node, bucket, stored, send, isValid, log }) {
    super();
    this.node = node;
    this.bucket = bucket;
    this.stored = stored;
    this.send = send;
    this.isValid = isValid;
    this.log = log;
  }

  /** Whether the bucket has taken no change for a while: its disks are full, or it has no majority. */
  get isUnsaved() {
    return performance.now() - this.#failingSince > UNSAVED_MS;
  }

  /** @returns {IterableIterator<[string, any]>} */
  *entries() {
    for (const [key, { value }] of this.#entries) if (value !== null) yield [key, value];
  }

  /** @param {string} key @returns {any} undefined if there is none */
  get(key) {
    return this.#entries.get(key)?.value ?? undefined;
  }

  /**
   * Changes a value.
   * @param {string} key @param {any} value plain data; null: deletes it
   * @param {number} [firstVersion] the least version that the change gets
   */
  set(key, value, firstVersion = 1) {
    const version = Math.max(firstVersion, (this.#entries.get(key)?.version ?? 0) + 1);
    const change = { key, version, node: this.node, value };
    if (!this.#apply(change, true)) return;
    this.send(change);
    this.#unwritten.set(key, change);
    void this.#write();
  }

  /** Changes a value, unless it is the same. @param {string} key @param {any} value plain data */
  tell(key, value) {
    if (!isDeepStrictEqual(this.get(key), value)) this.set(key, value);
  }

  /** @param {string} key */
  delete(key) {
    if (this.get(key) !== undefined) this.set(key, null);
  }

  /** Receives a change of another node. @param {unknown} change */
  receive(change) {
    const { key, version, node, value } = Object(change);
    const isChange =
      typeof key === 'string' && Number.isSafeInteger(version) && typeof node === 'string';
    if (!isChange || (value !== null && !this.isValid(key, value))) return;
    this.#apply({ key, version, node, value }, false);
  }

  /** @param {Change} change @param {boolean} isOwn @returns {boolean} false: a newer one is known */
  #apply({ key, version, node, value }, isOwn) {
    const known = this.#entries.get(key);
    if (known && (known.version > version || (known.version === version && known.node >= node))) {
      return false;
    }
    const deletedAt = value === null ? performance.now() : undefined;
    this.#entries.set(key, { version, node, value, deletedAt });
    this.emit('change', key, value ?? undefined, isOwn);
    return true;
  }

  /** Writes what the bucket does not have, one change after the other. */
  async #write() {
    if (this.#writing) return;
    this.#writing = true;
    for (;;) {
      const next = this.#unwritten.entries().next().value;
      if (!next || this.#closed) break;
      const [key, change] = next;
      try {
        const stored = await this.bucket.get(key);
        if (stored?.operation === 'PUT') this.#receiveStored(stored); // a change that this node has missed
        const previousSeq = stored?.revision ?? 0;
        const { version, node } = this.#entries.get(key) ?? change;
        if (version === change.version && node === change.node) {
          if (change.value === null) await this.bucket.delete(key, { previousSeq });
          else await this.bucket.put(key, JSON.stringify(change), { previousSeq });
        }
        if (this.#unwritten.get(key) === change) this.#unwritten.delete(key);
        this.#failingSince = Infinity;
      } catch (error) {
        this.#failingSince = Math.min(this.#failingSince, performance.now());
        this.log.debug({ key, error: messageOf(error) }, 'the bucket took no change');
        await delay(RETRY_MS);
      }
    }
    this.#writing = false;
  }

  /**
   * Reads the bucket. Call it when changes are received, and again after the connection was lost.
   * @throws {Error} when the bucket has no leader
   */
  async read() {
    for await (const message of this.stored()) this.#receiveStored(message);
  }

  /** @param {Stored} value of the bucket. The node that deletes a key tells so. */
  #receiveStored(value) {
    try {
      this.receive(value.json());
    } catch (error) {
      this.log.warn({ error: messageOf(error) }, 'a bucket has a value that cannot be read');
    }
  }

  /** Sends all own values again, for nodes that were just joining or cut off. */
  repeat() {
    const now = performance.now();
    for (const [key, { version, node, value, deletedAt }] of this.#entries) {
      if (deletedAt !== undefined && now - deletedAt > FORGET_MS) this.#entries.delete(key);
      else if (node === this.node) this.send({ key, version, node, value });
    }
  }

  close() {
    this.#closed = true;
  }
}

/** Sends all own values of tables again. @param {Record<string, SharedMap>} tables */
export function repeatAll(tables) {
  for (const table of Object.values(tables)) table.repeat();
}

/**
 * Opens a table that all nodes have, and reads it.
 * @param {import('./connection.js').FleetConnection} connection @param {string} name
 * @param {Pick<SharedMap, 'node' | 'isValid' | 'log'>} options
 */
export async function openTable(connection, name, options) {
  const subject = `pitv.shared.${name}`;
  const bucket = `pitv-${name}`;
  const table = new SharedMap({
    ...options,
    bucket: await connection.openBucket(bucket, { storage: 'file' }),
    stored: () => connection.readBucket(bucket),
    send: (change) => connection.publish(subject, JSON.stringify(change)),
  });
  connection.subscribe(subject, (message) => {
    try {
      table.receive(message.json());
    } catch {
      options.log.debug({ subject }, 'a change cannot be read');
    }
  });
  await table.read();
  return table;
}
