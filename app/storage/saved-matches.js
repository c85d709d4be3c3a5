/**
 * What is kept of a TV that goes off: who was in, and each match as a line of JSON about it
 * followed by its checkpoint. One file a match, so that a spoilt one spoils no other.
 */
import { createHash } from 'node:crypto';
import { messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { isList, isObject, isSha256, isText, isWhole } from './checks.js';
import { parseJson, unusable } from './saved-files.js';

const FORMAT = 1;
const PEOPLE = 'people.json';
export const MATCHES = 'matches';
const SUFFIX = '.match';
const MATCH_FILE = /^\d{1,5}\.match$/;
const NEWLINE = 10;
const MATCH_IDS_MAX = 0xffff;
/** Slots are bytes in a frame. */
const SEATS_MAX = 256;
const OPTIONS_MAX = 64;
const TEXT_MAX = 256;
const NAME_MAX = 1024;
/** Of the screens that the TV remembers, the newest are saved. */
const SCREENS_MAX = 1024;

/** @typedef {import('../match/saved-match.js').Saved} Saved */
/** @typedef {import('../lobby/players.js').SavedPlayer} SavedPlayer */
/**
 * @typedef {object} People
 * @property {number} savedAt ms since 1970
 * @property {SavedPlayer[]} players
 * @property {string[]} screens hashes of their tokens
 */

/** @param {Uint8Array} bytes */
const checksum = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** @param {Saved} saved @param {Uint8Array} checkpoint @returns {Uint8Array[]} the parts of a file */
export function encodeMatch(saved, checkpoint) {
  const head = { format: FORMAT, bytes: checkpoint.length, sha256: checksum(checkpoint), ...saved };
  return [Buffer.from(`${JSON.stringify(head)}\n`), checkpoint];
}

/** @param {any} seat */
const isSeat = (seat) =>
  isObject(seat) && isWhole(seat.slot, 0, SEATS_MAX - 1) && isWhole(seat.player, 1);

/** @param {unknown} options */
const isOptions = (options) =>
  isObject(options) &&
  isList(Object.entries(options), OPTIONS_MAX, ([name, value]) => {
    return isText(name, TEXT_MAX) && Number.isSafeInteger(value);
  });

/** @param {{slot: number, player: number}[]} seats @param {'slot' | 'player'} what */
const differ = (seats, what) => new Set(seats.map((seat) => seat[what])).size === seats.length;

/** What is wrong with a field of a saved match -> whether it is right. @type {Record<string, (saved: any) => boolean>} */
const CHECKS = {
  id: ({ id }) => isWhole(id, 1, MATCH_IDS_MAX),
  game: ({ game }) => isText(game, TEXT_MAX),
  hash: ({ hash }) => isText(hash, TEXT_MAX),
  options: ({ options }) => isOptions(options),
  owner: ({ owner }) => isText(owner, TEXT_MAX),
  tokenHash: ({ tokenHash }) => isSha256(tokenHash),
  startedAt: ({ startedAt }) => isWhole(startedAt, 0),
  tick: ({ tick }) => isWhole(tick, 0, 0xffffffff),
  seats: ({ seats }) =>
    isList(seats, SEATS_MAX, isSeat) && differ(seats, 'slot') && differ(seats, 'player'),
};

/**
 * Decodes a saved match and checks each of its fields.
 * @param {Buffer} file
 * @returns {{saved: Saved, checkpoint: Buffer}}
 * @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID
 */
export function decodeMatch(file) {
  const end = file.indexOf(NEWLINE);
  const head = parseJson(file.subarray(0, Math.max(0, end)));
  const checkpoint = file.subarray(end + 1);
  if (head?.format !== FORMAT) throw unusable(`its format is not ${FORMAT}`);
  if (head.bytes !== checkpoint.length || head.sha256 !== checksum(checkpoint)) {
    throw unusable('its checksum is wrong');
  }
  const wrong = Object.keys(CHECKS).find((name) => !CHECKS[name](head));
  if (wrong) throw unusable(`its field "${wrong}" is wrong`);
  const { id, game, hash, options, owner, tokenHash, startedAt, tick, seats } = head;
  return {
    saved: { id, game, hash, options, owner, tokenHash, startedAt, tick, seats },
    checkpoint,
  };
}

/** @param {any} player */
const isPlayer = (player) =>
  isObject(player) &&
  isWhole(player.id, 1) &&
  isText(player.name, NAME_MAX) &&
  isText(player.color, TEXT_MAX) &&
  isSha256(player.tokenHash) &&
  (player.lastGame === undefined || isText(player.lastGame, TEXT_MAX));

/** @param {Buffer} bytes @returns {People} @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID */
function decodePeople(bytes) {
  const { format, savedAt, players, screens } = parseJson(bytes) ?? {};
  if (format !== FORMAT) throw unusable(`its format is not ${FORMAT}`);
  if (!isWhole(savedAt, 0)) throw unusable('its time is wrong');
  if (!isList(players, LIMITS.players.value, isPlayer))
    throw unusable('its list of players is wrong');
  if (!isList(screens, SCREENS_MAX, isSha256)) throw unusable('its list of screens is wrong');
  return { savedAt, players, screens };
}

const PEOPLE_FORMAT = { maxBytes: LIMITS.savedStateBytes.value, parse: decodePeople };
const MATCH_FORMAT = { maxBytes: LIMITS.savedMatchBytes.value, parse: decodeMatch };

export class Sessions {
  /** @param {import('./store.js').Store} store @param {import('pino').Logger} log */
  constructor(store, log) {
    this.store = store;
    this.log = log;
  }

  /** @param {People} people */
  savePeople(people) {
    const screens = people.screens.slice(-SCREENS_MAX);
    return this.store.write(PEOPLE, JSON.stringify({ format: FORMAT, ...people, screens }));
  }

  /**
   * @param {{saved: Saved, checkpoint: Uint8Array}[]} matches @param {People} people
   * @returns {Promise<boolean>} could all of it be kept?
   */
  async save(matches, people) {
    const { store } = this;
    const results = await Promise.allSettled([
      this.savePeople(people),
      ...matches.map(({ saved, checkpoint }) =>
        store.write(`${MATCHES}/${saved.id}${SUFFIX}`, encodeMatch(saved, checkpoint)),
      ),
    ]);
    for (const result of results) {
      if (result.status === 'rejected') {
        this.log.error({ error: messageOf(result.reason) }, 'something could not be kept');
      }
    }
    return results.every(({ status }) => status === 'fulfilled');
  }

  /** @returns {Promise<People>} empty when there is nothing that can be used */
  async people() {
    const people = await this.store.load(PEOPLE, PEOPLE_FORMAT);
    return people ?? { savedAt: 0, players: [], screens: [] };
  }

  /**
   * Takes the matches out: each is given once, and a start that goes wrong does not go wrong again
   * because of the same file.
   * @returns {Promise<{saved: Saved, checkpoint: Buffer}[]>}
   */
  async takeMatches() {
    const matches = await this.readMatches();
    await this.removeMatches();
    return matches;
  }

  /** @returns {Promise<{saved: Saved, checkpoint: Buffer}[]>} those that can be used */
  async readMatches() {
    const matches = [];
    for (const name of await this.store.list(MATCHES, MATCH_FILE)) {
      const match = await this.store.load(`${MATCHES}/${name}`, MATCH_FORMAT);
      if (match) matches.push(match);
    }
    return matches;
  }

  async removeMatches() {
    for (const name of await this.store.list(MATCHES, MATCH_FILE)) {
      const path = `${MATCHES}/${name}`;
      await this.store.remove(path).catch((error) => {
        this.log.warn({ file: path, error: messageOf(error) }, 'a saved match cannot be removed');
      });
    }
  }
}
