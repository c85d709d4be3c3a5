/** The file of players, screens, a party, the join code and choices in the lobby that a restarted TV recognises. */
import { LIMITS } from '../limits/table.js';
import { anyText, integer, list, oneOf, optional, shape } from '../options.js';
import { PLAYER_NAME, SHA256 } from './checks.js';
import { parseFields } from './saved-files.js';

const FORMAT = 1;
const FILE = 'people.json';
const MAX_TEXT = 256;
/** Players with points in a party, also those who have left. */
const MAX_LINES = 4096;
/** The newest screens are saved, up to this number. */
export const MAX_SCREENS = 1024;
/** The file is written when players or screens change, and this often while there are players, to update its time. */
const REFRESH_MS = 5 * 60_000;

/**
 * @typedef {object} People
 * @property {number} savedAt ms since 1970
 * @property {import('../lobby/players.js').SavedPlayer[]} players
 * @property {number} [lastPlayer] see Players.lastId
 * @property {string[]} screens hashes of their tokens
 * @property {import('../lobby/party.js').SavedParty} [party]
 * @property {string} [code] for the QR code
 * @property {number} [botStrength] see Lobby
 * @property {number} [volume] see Venue
 */

const MAX_GAMES = 9;
export const MAX_BOT_STRENGTH = 2;

const TEXT = anyText(MAX_TEXT);
const PERSON = { name: PLAYER_NAME, color: TEXT };
const PLAYER = shape({ ...PERSON, id: integer(1), tokenHash: SHA256, lastGame: optional(TEXT) });
/** Tells whether a value is a saved player. */
export const isSavedPlayer = PLAYER.accepts;

const LINE = shape({ ...PERSON, player: integer(1), points: integer(0) });
const PARTY = shape({
  phase: oneOf(['playing', 'resting', 'over']),
  plan: list(TEXT, 0, MAX_GAMES),
  played: integer(0, MAX_GAMES),
  owner: TEXT,
  match: optional(integer(0)),
  table: list(LINE, 0, MAX_LINES),
});
/** Tells whether a value is a saved party. @param {any} party */
export const isParty = (party) => PARTY.accepts(party) && party.played <= party.plan.length;

const FIELDS = {
  savedAt: integer(0),
  players: list(PLAYER, 0, LIMITS.players.value),
  lastPlayer: optional(integer(0)),
  screens: list(SHA256, 0, MAX_SCREENS),
  party: optional({ allowed: PARTY.allowed, accepts: isParty }),
  code: optional(TEXT),
  botStrength: optional(integer(0, MAX_BOT_STRENGTH)),
  volume: optional(integer(0, 100)),
};
/** @param {Buffer} bytes @returns {People} @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID */
const decodePeople = (bytes) => parseFields(bytes, FORMAT, FIELDS);

export class PeopleFile {
  #lastSaved = { text: '', at: 0 };

  /** @param {import('./store.js').Store} store */
  constructor(store) {
    this.store = store;
  }

  /** @returns {Promise<People>} empty when there is no file that can be used */
  async load() {
    const saved = await this.store.load(FILE, { parse: decodePeople });
    return saved ?? { savedAt: 0, players: [], screens: [] };
  }

  /** @param {People} people */
  async save(people) {
    const screens = people.screens.slice(-MAX_SCREENS);
    await this.store.write(FILE, JSON.stringify({ format: FORMAT, ...people, screens }));
  }

  /** Saves people that have changed since the last call. @param {People} people */
  async saveChanges(people) {
    const { players, screens, party, botStrength, volume } = people;
    const text = JSON.stringify([players, screens, party, botStrength, volume]);
    const old = people.savedAt - this.#lastSaved.at > REFRESH_MS;
    if (text === this.#lastSaved.text && !(old && people.players.length > 0)) return;
    await this.save(people);
    this.#lastSaved = { text, at: people.savedAt };
  }
}
