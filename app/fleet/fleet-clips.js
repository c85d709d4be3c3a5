/**
 * The clips of all nodes. A clip is made and kept by the node that runs its match; the others list it, and read its
 * file. Each node sends its list to the others on `pitv.clips.NODE`.
 */
import { EventEmitter } from 'node:events';
import { PitvError } from '../errors.js';
import { isList, isObject, isText, isWhole } from '../storage/checks.js';

/** Changes within this time are sent as one message. */
const COALESCE_MS = 250;
const REPEAT_MS = 10_000;
const MAX_CLIPS = 1024;
const MAX_TEXT = 1024;
const ID = /^[0-9a-f]{24}$/;
const STATES = ['recording', 'waiting', 'making', 'ready', 'failed'];
const LISTS = 'pitv.clips.';

/**
 * @typedef {import('../clips/clips.js').Clip} Clip
 *
 * @typedef {object} Parts
 * @property {import('../clips/clips.js').Clips} local
 * @property {string} node name of this node
 * @property {import('./connection.js').FleetConnection} connection
 * @property {(node: string, operation: string, about: object) => Promise<any>} ask
 * @property {(match: any) => string} nodeOf returns the node that runs a match
 * @property {() => string[]} others names of the other living nodes
 * @property {import('./fleet-files.js').FleetFiles} files
 */

/** @param {any} clip */
const isClip = (clip) =>
  isObject(clip) &&
  ID.test(String(clip.id)) &&
  isText(clip.owner, MAX_TEXT) &&
  STATES.includes(String(clip.state)) &&
  isText(clip.game, MAX_TEXT) &&
  isText(clip.title, MAX_TEXT) &&
  ['match', 'createdAt', 'bytes', 'width', 'height', 'fps'].every((name) =>
    isWhole(clip[name], 0),
  ) &&
  ['seconds', 'done'].every((name) => Number.isFinite(clip[name]) && Number(clip[name]) >= 0) &&
  (clip.error === null || (isObject(clip.error) && isText(clip.error.message, MAX_TEXT)));

/** Leaves out the address that has asked for a clip. @param {Clip} clip @returns {Clip} */
export const withoutClient = ({ client: _client, ...clip }) => clip;

/** Emits 'change' when the list or a clip has changed. */
export class FleetClips extends EventEmitter {
  #parts;
  /** Clips of the other nodes. @type {Map<string, Clip[]>} */
  #lists = new Map();
  /** The nodes whose clips were in the last list. */
  #shown = '';
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {(() => unknown)[]} */
  #ends = [];

  /** @param {Parts} parts */
  constructor(parts) {
    super();
    this.#parts = parts;
    parts.files.serve('clip', ({ id }) => parts.local.fileOf(id));
    parts.local.on('change', () => {
      this.emit('change');
      this.#timer ??= setTimeout(() => this.#tell(), COALESCE_MS).unref();
    });
  }

  // Like Clips.

  get limits() {
    return this.#parts.local.limits;
  }
  /** Size of the clips of this node. */
  get bytes() {
    return this.#parts.local.bytes;
  }
  get problem() {
    return this.#parts.local.problem;
  }

  /** All clips of the nodes that are there, the newest first. @returns {Clip[]} */
  get list() {
    const others = this.#parts.others().flatMap((node) => this.#lists.get(node) ?? []);
    return [...this.#parts.local.list, ...others].sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Finds a clip. @param {unknown} id @returns {Clip} @throws {PitvError} PITV_CLIP_UNKNOWN */
  get(id) {
    return this.list.find((clip) => clip.id === id) ?? this.#parts.local.get(id);
  }

  /**
   * Returns the node that has a clip; undefined: it is this one, or none.
   * @param {unknown} id @returns {string | undefined}
   */
  #nodeOf(id) {
    return this.#parts
      .others()
      .find((node) => this.#lists.get(node)?.some((clip) => clip.id === id));
  }

  /**
   * Returns the path of a finished clip.
   * @param {unknown} id
   * @returns {string | undefined} undefined: another node has it, see read()
   * @throws {PitvError} PITV_CLIP_UNKNOWN
   */
  fileOf(id) {
    if (this.#nodeOf(id) === undefined) return this.#parts.local.fileOf(id);
    if (this.get(id).state === 'ready') return undefined;
    throw new PitvError('PITV_CLIP_UNKNOWN', 'The clip is not ready.');
  }

  /**
   * See Clips.start().
   * @param {import('../match/match.js').Match} match
   * @param {Parameters<import('../clips/clips.js').Clips['start']>[1]} options @returns {Promise<Clip>}
   */
  async start(match, options) {
    const { local, ask, nodeOf } = this.#parts;
    if (match.isOwn) return local.start(match, options);
    const { clip } = await ask(nodeOf(match), 'startClip', { match: match.id, options });
    if (!isClip(clip)) throw new PitvError('PITV_FLEET_AWAY', 'A node has answered with no clip.');
    return clip;
  }

  /** See Clips.finish(). @param {string} id */
  async finish(id) {
    const node = this.#nodeOf(id);
    if (node === undefined) this.#parts.local.finish(id);
    else await this.#parts.ask(node, 'finishClip', { id });
  }

  /** See Clips.remove(). @param {string} id */
  async remove(id) {
    const node = this.#nodeOf(id);
    if (node === undefined) await this.#parts.local.remove(id);
    else await this.#parts.ask(node, 'removeClip', { id });
  }

  async open() {
    await this.#parts.local.open();
  }
  async close() {
    clearTimeout(this.#timer);
    for (const end of this.#ends) end();
    await this.#parts.local.close();
  }

  // For other nodes.

  /** The clips of this node. */
  get own() {
    return this.#parts.local;
  }

  /** Begins to take part. */
  join() {
    const { connection } = this.#parts;
    const timer = setInterval(() => this.#tell(), REPEAT_MS).unref();
    this.#ends = [
      () => clearInterval(timer),
      connection.subscribe(`${LISTS}*`, ({ subject, data }) =>
        this.#receive(subject.slice(LISTS.length), data),
      ),
    ];
    this.#tell();
  }

  #tell() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { connection, node, local } = this.#parts;
    const clips = local.list.slice(0, MAX_CLIPS).map(withoutClient);
    connection.publish(`${LISTS}${node}`, JSON.stringify(clips));
  }

  /** @param {string} node @param {Uint8Array} data */
  #receive(node, data) {
    let clips;
    try {
      clips = JSON.parse(Buffer.from(data).toString('utf8'));
    } catch {
      return;
    }
    if (node === this.#parts.node || !isList(clips, MAX_CLIPS, isClip)) return;
    const before = JSON.stringify(this.#lists.get(node) ?? []);
    this.#lists.set(node, clips);
    if (JSON.stringify(clips) !== before) this.emit('change');
  }

  /** Notices nodes that have come and gone. Call it after each beat. */
  check() {
    const shown = this.#parts
      .others()
      .filter((node) => this.#lists.has(node))
      .join();
    if (shown === this.#shown) return;
    if (shown.length > this.#shown.length) this.#tell(); // a new node knows no list yet
    this.#shown = shown;
    this.emit('change');
  }

  /**
   * Reads the file of a clip on another node, one part after the other, as fast as they are taken.
   * @param {string} id @param {number} from @param {number} to first byte, and the one after the last
   * @returns {AsyncGenerator<Uint8Array>}
   * @throws {PitvError} PITV_FLEET_AWAY
   */
  read(id, from, to) {
    return this.#parts.files.read(this.#nodeOf(id) ?? '', 'clip', { id }, from, to);
  }
}
