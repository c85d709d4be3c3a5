/** The file of players, screens, a party, the join code and choices in the lobby that a restarted TV recognises. */
import { LIMITS } from '../limits/table.js';
import { isList, isPlayerName, isObject, isSha256, isText, isWhole } from './checks.js';
import { parseJson, unusable } from './saved-files.js';

const FORMAT = 1;
const FILE = 'people.json';
const MAX_TEXT = 256;
/** Players with points in a party, also those who have left. */
const MAX_LINES = 4096;
/** The newest screens are saved, up to this number. */
const MAX_SCREENS = 1024;
/** The file is written when players or screens change, and this often while there are players, to update its time. */
const REFRESH_MS = 5 * 60_000;

/**
 * @typedef {object} People
 * @property {number} savedAt ms since 1970
 * @property {import('../lobby/players.js').SavedPlayer[]} players
 * @property {string[]} screens hashes of their tokens
 * @property {import('../lobby/party.js').SavedParty} [party]
 * @property {string} [code] for the QR code
 * @property {number} [botStrength] see Lobby
 * @property {number} [volume] see Venue
 */

/** Tells whether a value is a saved player. @param {any} player */
export const isSavedPlayer = (player) =>
  isObject(player) &&
  isWhole(player.id, 1) &&
  isPlayerName(player.name) &&
  isText(player.color, MAX_TEXT) &&
  isSha256(player.tokenHash) &&
  (player.lastGame === undefined || isText(player.lastGame, MAX_TEXT));

const PHASES = ['playing', 'resting', 'over'];
const MAX_GAMES = 9;
export const MAX_BOT_STRENGTH = 2;

/** @param {any} line */
const isLine = (line) =>
  isObject(line) &&
  isWhole(line.player, 1) &&
  isPlayerName(line.name) &&
  isText(line.color, MAX_TEXT) &&
  isWhole(line.points, 0);

/** Tells whether a value is a saved party. @param {any} party */
export const isParty = (party) =>
  isObject(party) &&
  PHASES.includes(String(party.phase)) &&
  isList(party.plan, MAX_GAMES, (id) => isText(id, MAX_TEXT)) &&
  isWhole(party.played, 0, party.plan.length) &&
  isText(party.owner, MAX_TEXT) &&
  (party.match === undefined || isWhole(party.match, 0)) &&
  isList(party.table, MAX_LINES, isLine);

/** @param {Buffer} bytes @returns {People} @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID */
function decodePeople(bytes) {
  const { format, savedAt, players, screens, party, code, botStrength, volume } =
    parseJson(bytes) ?? {};
  if (format !== FORMAT) throw unusable(`its format is not ${FORMAT}`);
  if (!isWhole(savedAt, 0)) throw unusable('its time is wrong');
  if (!isList(players, LIMITS.players.value, isSavedPlayer))
    throw unusable('its list of players is wrong');
  if (!isList(screens, MAX_SCREENS, isSha256)) throw unusable('its list of screens is wrong');
  if (party !== undefined && !isParty(party)) throw unusable('its party is wrong');
  if (code !== undefined && !isText(code, MAX_TEXT)) throw unusable('its code is wrong');
  if (!isWhole(botStrength ?? 0, 0, MAX_BOT_STRENGTH)) throw unusable('its bots are wrong');
  if (!isWhole(volume ?? 0, 0, 100)) throw unusable('its volume is wrong');
  const numbers = { ...(botStrength && { botStrength }), ...(isWhole(volume, 0) && { volume }) };
  return { savedAt, players, screens, ...(party && { party }), ...(code && { code }), ...numbers };
}

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
