/**
 * The checkpoints of the matches that run on this node, where others find them when the node dies. Each node has a
 * bucket of its own. Only one node can take over a match: it replaces the checkpoint at the revision that it has read,
 * and the former owner's next write is refused.
 *
 * A bucket accepts no writes for 4 to 9 seconds after the server that leads it has died. Another server than the one
 * that this node uses is therefore made to lead its bucket, since both usually die together.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError, messageOf } from '../errors.js';
import { isMissing } from './connection.js';

/** Code of JetStream's error for a revision that is not the newest. */
const WRONG_REVISION = 10071;
/** Before the name of a node in that of its bucket. */
const MATCHES = 'pitv-matches-';
/** Interval at which the leader of the bucket is checked, and while it is the own server. */
const PIN_MS = 5000;
const PIN_SOON_MS = 300;
/** Shorter than JetStream's default of 5 s: a leader that has died never answers, and the next one may be there. */
const TIMEOUT_MS = 1000;
/** Before a checkpoint that another node has taken over: the name of that node follows. */
const TAKEN = 'taken ';
/** Before a checkpoint: the start of its node follows. */
const START = 'start ';

/** @param {unknown} error */
const isWrongRevision = (error) => Reflect.get(Object(error), 'code') === WRONG_REVISION;

/** Makes the error for a match that another node has taken over. */
const fenced = () =>
  new PitvError('PITV_FLEET_FENCED', 'Another node of the fleet has taken over this match.');

export class Checkpoints {
  /** Revision of the newest own checkpoint, by match. @type {Map<number, number>} */
  #revisions = new Map();
  /** The bucket of this node. @type {Promise<import('@nats-io/kv').KV> | undefined} */
  #bucket;

  /** @param {import('./connection.js').FleetConnection} connection @param {string} node name of this node */
  constructor(connection, node) {
    this.connection = connection;
    this.log = connection.log;
    this.node = node;
  }

  /** Creates the bucket of this node. */
  async open() {
    await this.#bucketOf(this.node);
    void this.#pin();
  }

  /** @param {string} node */
  #bucketOf(node) {
    const name = `${MATCHES}${node}`;
    if (node !== this.node) return this.connection.bindBucket(name, TIMEOUT_MS);
    if (!this.#bucket) {
      this.#bucket = this.connection.openBucket(name, { storage: 'memory', timeout: TIMEOUT_MS });
      this.#bucket.catch(() => (this.#bucket = undefined));
    }
    return this.#bucket;
  }

  /**
   * Moves the lead of this node's bucket to a server that this node does not use, and checks it regularly: checkpoints
   * then survive the loss of this machine.
   */
  async #pin() {
    const { connection, node, log } = this;
    while (!connection.isClosed) {
      const isPinned = await connection.leadElsewhere(`${MATCHES}${node}`).catch((error) => {
        log.debug({ error: messageOf(error) }, 'the leader of a bucket is not known');
        if (isMissing(error)) this.#bucket = undefined; // the next write makes it again
      });
      await delay(isPinned ? PIN_MS : PIN_SOON_MS, undefined, { ref: false });
    }
  }

  /**
   * Writes the newest checkpoint of a match.
   * @param {number} id of the match @param {Uint8Array} checkpoint @param {number} start of this node
   * @param {number} [timeout] ms @throws {PitvError} PITV_FLEET_FENCED: another node has taken over the match
   * @throws {Error} when the bucket cannot be reached
   */
  async write(id, checkpoint, start, timeout = TIMEOUT_MS) {
    const bytes = Buffer.concat([Buffer.from(`${START}${start}\n`), checkpoint]);
    const bucket = await this.#bucketOf(this.node);
    const key = String(id);
    const put = async (/** @type {number} */ previousSeq) =>
      this.#revisions.set(id, await bucket.put(key, bytes, { previousSeq, timeout }));
    const known = this.#revisions.get(id);
    try {
      await put(known ?? (await bucket.get(key))?.revision ?? 0);
    } catch (error) {
      if (!isWrongRevision(error)) throw error;
      const entry = await bucket.get(key);
      // The answers to earlier writes may have been lost, or the whole bucket, if most servers ended at once. Another
      // node marks or removes what it takes over.
      if (entry && (entry.operation !== 'PUT' || readMark(entry.value).by !== '')) throw fenced();
      await put(entry?.revision ?? 0);
    }
  }

  /**
   * Takes over a match from a node that is dead or hands it over. The checkpoint stays in the bucket of that node,
   * marked with the name of this one, until this node has written one of its own.
   * @param {object} match
   * @param {string} match.node the former owner @param {number} match.start of it, which is dead or hands it over
   * @param {number} match.id
   * @param {string} [match.from] owner before that, if the former owner may not have written a checkpoint
   * @param {import('./membership.js').Membership} membership
   * @returns {Promise<{bytes: Buffer, marked: string[], unseen: number}>} bytes: its newest checkpoint; empty if its
   *   node has died before it could write one; marked: in whose buckets, that with the bytes first; unseen: how many
   *   owners have died before they could tell the others
   * @throws {PitvError} PITV_FLEET_FENCED: another node was faster @throws {Error} when a bucket cannot be reached
   */
  async take({ node, start, id, from }, membership) {
    this.forget(id);
    void this.#learnRevision(id);
    /** The newest first: each has marked the checkpoints of those after it. */
    const owners = from === undefined ? [node] : [node, from];
    const mayTake = (/** @type {string} */ owner, /** @type {number} */ wrote) =>
      (owner === node && wrote <= start) || membership.mayTakeFrom(owner, wrote);
    for (let i = 0, unseen = 0; ;) {
      const { by, bytes } = await this.#claim(owners, i, id, mayTake);
      if (by !== undefined) {
        if (owners.includes(by) || !membership.isGone(by)) throw fenced();
        owners.unshift(by);
        unseen++;
        i = 0;
      } else if (bytes.length > 0 || i + 1 === owners.length) {
        const [from] = owners.splice(i, 1);
        return { bytes, marked: [from, ...owners], unseen };
      } else i++;
    }
  }

  /**
   * Marks a checkpoint as that of this node.
   * @param {string[]} owners of the match, the newest first @param {number} i in whose bucket @param {number} id
   * @param {(owner: string, start: number) => boolean} mayTake tells whether it may be taken from who has written it
   * @returns {Promise<{bytes: Buffer, by?: string}>} bytes: empty if there is none; by: another node has marked it
   * @throws {PitvError} PITV_FLEET_FENCED: its node has written it since, or a newer owner has removed it
   */
  async #claim(owners, i, id, mayTake) {
    const node = owners[i];
    const bucket = await this.#bucketOf(node);
    const entry = await bucket.get(String(id));
    /** @type {Buffer} */
    let bytes = Buffer.alloc(0);
    if (entry?.operation === 'PUT') {
      const { by, start, bytes: found } = readMark(entry.value);
      const isUnmarked = by === '' || by === node; // it was started again and has taken over its own match
      const isExpected = by === this.node || (i > 0 ? owners.slice(0, i).includes(by) : isUnmarked);
      if (!isExpected && isUnmarked) throw fenced();
      if (!isExpected) return { bytes, by };
      if (by === '' && !mayTake(node, start)) throw fenced();
      bytes = found;
    } else if (entry?.operation === 'DEL' && (i > 0 || owners.length === 1)) throw fenced();
    const marked = Buffer.concat([Buffer.from(`${TAKEN}${this.node}\n`), bytes]);
    try {
      const previousSeq = entry?.revision ?? 0;
      const revision = await bucket.put(String(id), marked, { previousSeq, timeout: TIMEOUT_MS });
      if (node === this.node) this.#revisions.set(id, revision);
    } catch (error) {
      throw isWrongRevision(error) ? fenced() : error;
    }
    return { bytes };
  }

  /**
   * Learns the revision of the own checkpoint of a match that this node takes over. If another node takes it over
   * before the first checkpoint is written here, that write is then refused.
   * @param {number} id
   */
  async #learnRevision(id) {
    try {
      const bucket = await this.#bucketOf(this.node);
      const entry = await bucket.get(String(id));
      if (!this.#revisions.has(id)) this.#revisions.set(id, entry?.revision ?? 0);
    } catch (error) {
      this.log.debug({ match: id, error: messageOf(error) }, 'a revision is not known');
    }
  }

  /**
   * Removes a checkpoint: purges that of a match that is over, and deletes that of a former owner, from which nobody
   * may go on.
   * @param {number} id of the match @param {string} [node] of the bucket; by default this one
   */
  async remove(id, node = this.node) {
    const isOwn = node === this.node;
    if (isOwn) this.forget(id);
    const bucket = await this.#bucketOf(node);
    await (isOwn ? bucket.purge(String(id)) : bucket.delete(String(id)));
  }

  /** Stops writing a match that another node has taken over. @param {number} id */
  forget(id) {
    this.#revisions.delete(id);
  }
}

/**
 * @param {Uint8Array} value
 * @returns {{by: string, start: number, bytes: Buffer}} by: the node that has taken it over, or empty; start: then, of
 *   the node that has written it
 */
function readMark(value) {
  const bytes = Buffer.from(value);
  const end = bytes.indexOf('\n');
  const mark = bytes.toString('utf8', 0, end);
  const isTaken = mark.startsWith(TAKEN);
  return {
    by: isTaken ? mark.slice(TAKEN.length) : '',
    start: isTaken ? 0 : Number(mark.slice(START.length)),
    bytes: bytes.subarray(end + 1),
  };
}
