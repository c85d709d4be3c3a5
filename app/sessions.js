/**
 * What is kept of a TV that goes off: who was in, and each match as a line of JSON about it
 * followed by its checkpoint. One file a match, so that a spoilt one spoils no other.
 */
import { createHash } from 'node:crypto';
import { PitvError, messageOf } from './errors.js';

const FORMAT = 1;
const PEOPLE = 'people.json';
const MATCHES = 'matches';
const SUFFIX = '.match';
const NEWLINE = 10;

/** @typedef {import('./match.js').Saved} Saved */
/** @typedef {import('./players.js').SavedPlayer} SavedPlayer */
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

/**
 * @param {Buffer} file
 * @returns {{saved: Saved, checkpoint: Buffer}}
 * @throws {PitvError} PITV_SAVED_INVALID
 */
export function decodeMatch(file) {
  const end = file.indexOf(NEWLINE);
  /** @type {any} */
  let head;
  try {
    head = JSON.parse(file.toString('utf8', 0, end));
  } catch (error) {
    throw invalid('it does not begin with a line of JSON', error);
  }
  const checkpoint = file.subarray(end + 1);
  if (head?.format !== FORMAT) throw invalid(`its format is ${head?.format}, not ${FORMAT}`);
  if (head.bytes !== checkpoint.length || head.sha256 !== checksum(checkpoint)) {
    throw invalid('its checksum is wrong');
  }
  const { id, game, hash, options, owner, tokenHash, startedAt, tick, seats } = head;
  const whole =
    [id, startedAt, tick].every(Number.isSafeInteger) &&
    [game, hash, owner].every((each) => typeof each === 'string') &&
    /^[0-9a-f]{64}$/.test(tokenHash) &&
    Array.isArray(seats) &&
    seats.every((seat) => Number.isInteger(seat?.slot) && Number.isInteger(seat?.player));
  if (!whole) throw invalid('a field is missing or odd');
  return {
    saved: { id, game, hash, options, owner, tokenHash, startedAt, tick, seats },
    checkpoint,
  };
}

/** @param {string} why @param {unknown} [cause] */
const invalid = (why, cause) =>
  new PitvError('PITV_SAVED_INVALID', `The saved match cannot be used: ${why}.`, { cause });

export class Sessions {
  /** @param {import('./store.js').Store} store @param {import('pino').Logger} log */
  constructor(store, log) {
    this.store = store;
    this.log = log;
  }

  /** @param {People} people */
  savePeople(people) {
    return this.store.write(PEOPLE, JSON.stringify({ format: FORMAT, ...people }));
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
    const file = await this.store.read(PEOPLE).catch(() => undefined);
    const nobody = { savedAt: 0, players: [], screens: [] };
    if (!file) return nobody;
    try {
      const { format, savedAt, players, screens } = JSON.parse(file.toString('utf8'));
      if (format !== FORMAT || !Array.isArray(players) || !Array.isArray(screens)) {
        throw new PitvError('PITV_SAVED_INVALID', `${PEOPLE} is of another format.`);
      }
      return {
        savedAt: Number(savedAt),
        players: players.filter((each) => each !== null && typeof each === 'object'),
        screens: screens.filter((each) => typeof each === 'string'),
      };
    } catch (error) {
      this.log.warn({ error: messageOf(error) }, 'who was in before is not known');
      return nobody;
    }
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
    for (const name of await this.store.list(MATCHES)) {
      const path = `${MATCHES}/${name}`;
      try {
        const file = await this.store.read(path);
        if (file) matches.push(decodeMatch(file));
      } catch (error) {
        this.log.warn({ file: path, error: messageOf(error) }, 'a saved match was given up');
      }
    }
    return matches;
  }

  async removeMatches() {
    for (const name of await this.store.list(MATCHES)) {
      const path = `${MATCHES}/${name}`;
      await this.store.remove(path).catch((error) => {
        this.log.warn({ file: path, error: messageOf(error) }, 'a saved match cannot be removed');
      });
    }
  }
}
