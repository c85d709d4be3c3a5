/**
 * The games of all nodes. A node that lacks a game shows it and its matches nevertheless, and has them run by one that
 * has it. It gets the description, pictures and sounds, which are checked like those of a package; it never gets code.
 */
import { EventEmitter } from 'node:events';
import { PitvError, messageOf } from '../errors.js';
import { descriptionOf } from '../game/check-game.js';
import { checkOptions } from '../packages/catalog.js';
import { FILE_PART_BYTES } from './requests.js';

/** Pause before a node is asked again. */
const AGAIN_MS = 5000;
const MAX_MEDIA_BYTES = 16 * 1024 * 1024;

/**
 * @typedef {import('../packages/catalog.js').Game} Game
 * @typedef {{id: string, hash: string}} Version
 * @typedef {'art' | 'sounds' | 'preview'} MediaKind
 */

/** @param {Version} game */
const keyOf = ({ id, hash }) => `${id} ${hash}`;

/** Emits 'change' when the games of other nodes have changed. */
export class FleetGames extends EventEmitter {
  #fleet;
  /** Games of other nodes by id and hash. @type {Map<string, Game>} */
  #known = new Map();
  /** The state of the last 'change'. */
  #shown = '';
  /** Games that are being asked for, or that were not given lately. @type {Map<string, Promise<Game | undefined>>} */
  #asked = new Map();
  /** @type {Map<string, Buffer>} */
  #media = new Map();
  #mediaBytes = 0;
  /** @type {Game[]} */
  #own = [];

  /** @param {import('./fleet.js').Fleet} fleet */
  constructor(fleet) {
    super();
    this.#fleet = fleet;
  }

  /** Sets the games of this node. @param {Game[]} games */
  setOwn(games) {
    this.#own = games;
    this.#shown = '';
    this.check();
  }

  /** Finds a game of this node. @param {Version} version @returns {Game | undefined} */
  own({ id, hash }) {
    return this.#own.find((each) => each.id === id && each.hash === hash);
  }

  /** Which games this node has, for the others. @returns {Version[]} */
  get offered() {
    return this.#own.map(({ id, hash }) => ({ id, hash }));
  }

  /** Tells whether a node has a game. @param {string} node @param {Version} game */
  has(node, game) {
    if (node === this.#fleet.node) return this.own(game) !== undefined;
    return this.#listOf(node).some(({ id, hash }) => id === game.id && hash === game.hash);
  }

  /** The games that a node has told. @param {string} node @returns {Version[]} */
  #listOf(node) {
    return this.#fleet.tables.get('nodes', node)?.games ?? [];
  }

  /** Finds another living node that has a game. @param {Version} game @returns {string | undefined} */
  #holder(game) {
    return this.#fleet.nodes.others.find(({ node }) => this.has(node, game))?.node;
  }

  /** Games of this node, and those that it lacks and others have. @returns {Game[]} */
  get all() {
    return [...this.#own, ...this.#missing.flatMap((game) => this.#known.get(keyOf(game)) ?? [])];
  }

  /** One version of each game that this node lacks: that of the first node. @returns {Version[]} */
  get #missing() {
    /** @type {Map<string, Version>} */
    const missing = new Map();
    for (const node of this.#fleet.nodes.others.map((other) => other.node).sort()) {
      for (const game of this.#listOf(node)) {
        const isOwn = this.#own.some(({ id }) => id === game.id);
        if (!isOwn && !missing.has(game.id)) missing.set(game.id, game);
      }
    }
    return [...missing.values()];
  }

  /** Asks for the games that this node lacks. Call it after each beat. */
  check() {
    const missing = this.#missing;
    for (const game of missing) if (!this.#known.has(keyOf(game))) void this.#learn(game);
    const shown = JSON.stringify(missing.filter((game) => this.#known.has(keyOf(game))));
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.emit('change');
  }

  /**
   * Gets to know the game of a match.
   * @param {Version} version @param {Record<string, number>} options
   * @returns {Promise<Game | undefined>} undefined: no node gives it now
   */
  async learn({ id, hash }, options) {
    const game = this.own({ id, hash }) ?? (await this.#learn({ id, hash }));
    try {
      await game?.prepare?.(options);
    } catch (error) {
      this.#fleet.log.warn({ game: id, error: messageOf(error) }, 'a game cannot be shown here');
      return undefined;
    }
    return game;
  }

  /** @param {Version} version @returns {Promise<Game | undefined>} */
  async #learn(version) {
    const key = keyOf(version);
    const known = this.#known.get(key);
    if (known || !this.#holder(version)) return known;
    let asked = this.#asked.get(key);
    asked ??= this.#describe(version).catch((error) => {
      const { id } = version;
      this.#fleet.log.warn({ game: id, error: messageOf(error) }, 'a game cannot be shown here');
      setTimeout(() => this.#asked.delete(key), AGAIN_MS).unref();
      return undefined;
    });
    this.#asked.set(key, asked);
    return asked;
  }

  /** @param {Version} version @returns {Promise<Game>} */
  async #describe({ id, hash }) {
    const { makeGame } = await import('../packages/foreign-games.js');
    const { checkReading } = await import('../packages/game-reader.js');
    const file = { path: `/elsewhere/${id}.js`, id, folder: '/elsewhere' };
    const read = async (/** @type {Record<string, unknown>} */ options) => {
      const node = this.#holder({ id, hash });
      const sentence = 'No node that answers has this version of the game.';
      if (!node) throw new PitvError('PITV_FLEET_AWAY', sentence);
      const answer = await this.#fleet.ask(node, 'game', { id, hash, options });
      return checkReading(JSON.stringify(answer), file);
    };
    const how = { bestEffort: false, read, changes: false };
    const made = /** @type {any} */ (makeGame(file, await read({}), how));
    const game = Object.freeze({ ...made, hash, elsewhere: true });
    this.#known.set(keyOf({ id, hash }), game);
    return game;
  }

  /** Describes a game of this node to another one. @param {Version} version @param {unknown} given options */
  async describe({ id, hash }, given) {
    const game = this.own({ id, hash });
    if (!game) throw new PitvError('PITV_GAME_UNKNOWN', 'There is no such game.');
    const options = checkOptions(game, given);
    await game.prepare?.(options);
    return { game: descriptionOf(game), dimensions: game.dimensions(options) };
  }

  /**
   * Reads a picture, a sound or the preview of a game that this node lacks.
   * @param {Game} game @param {MediaKind} kind @param {string} name of the file @param {number} maxBytes
   * @returns {Promise<Buffer>} not checked @throws {PitvError} PITV_NOT_FOUND, PITV_FLEET_AWAY
   */
  async media(game, kind, name, maxBytes) {
    const key = `${keyOf(game)} ${kind} ${name}`;
    const known = this.#media.get(key);
    if (known) return known;
    const node = this.#holder(game);
    if (!node) throw new PitvError('PITV_NOT_FOUND', 'There is no such file.');
    const about = { id: game.id, hash: game.hash, name };
    const parts = [];
    for (let at = 0, length = FILE_PART_BYTES; length === FILE_PART_BYTES; at += length) {
      const answer = await this.#fleet.ask(node, 'file', { kind, about, at });
      const part = Buffer.from(String(answer.part), 'base64');
      length = part.length;
      parts.push(part);
      if (at + length > maxBytes) throw new PitvError('PITV_NOT_FOUND', 'The file is too large.');
    }
    const bytes = Buffer.concat(parts);
    this.#mediaBytes += bytes.length;
    if (this.#mediaBytes > MAX_MEDIA_BYTES) {
      this.#media.clear();
      this.#mediaBytes = bytes.length;
    }
    this.#media.set(key, bytes);
    return bytes;
  }
}
