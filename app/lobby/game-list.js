/** The games that can be played, and those whose last match failed. */
import { createHash } from 'node:crypto';
import { PitvError } from '../errors.js';

const VERSION_DIGITS = 16;

/** @typedef {import('../packages/catalog.js').Game} Game */

/** Returns a text that changes with the list of games and their versions. @param {Game[]} games */
export const versionOf = (games) =>
  createHash('sha256')
    .update(JSON.stringify(games.map(({ id, hash }) => [id, hash])))
    .digest('hex')
    .slice(0, VERSION_DIGITS);

export class GameList {
  /** Why the last match of a game failed, by game. @type {Map<string, string>} */
  #failures = new Map();

  /** @param {Game[]} games */
  constructor(games) {
    this.games = games;
    /** Changes with the games and their versions. */
    this.version = versionOf(games);
  }

  /** Sentences about games whose last match failed. */
  get problems() {
    return [...this.#failures.values()];
  }

  /** Replaces the games. @param {Game[]} games */
  set(games) {
    const ids = new Set(games.map(({ id }) => id));
    for (const id of this.#failures.keys()) if (!ids.has(id)) this.#failures.delete(id);
    this.games = games;
    this.version = versionOf(games);
  }

  /** Finds a game. @param {unknown} id @returns {Game} @throws {PitvError} PITV_GAME_UNKNOWN */
  get(id) {
    const game = this.games.find((each) => each.id === id);
    if (!game) throw new PitvError('PITV_GAME_UNKNOWN', 'There is no such game.');
    return game;
  }

  /** Notes how a match has ended. @param {import('../match/match.js').Match} match that is over */
  noteEnd({ game: { id, title }, end, problem }) {
    if (end?.reason === 'failed') this.#failures.set(id, `${problem ?? title}.`);
    else if (end?.reason === 'done') this.#failures.delete(id);
  }
}
