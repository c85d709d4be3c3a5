/**
 * Who is in: the people with a pad. A player is known by a random token that only their phone
 * has; the TV keeps the token's hash. A phone that drops and comes back with its token within the
 * grace time is the same player, with the same name, colour and place in a match.
 */
import { EventEmitter } from 'node:events';
import { PitvError } from '../errors.js';
import { mostFrequent } from '../limits/fairness.js';
import { LIMITS } from '../limits/table.js';
import { PLAYER_COLORS } from '../match/player-colors.js';
import { hasHash, hashToken, newToken } from './tokens.js';

const NAME_LETTERS = 14;
const MARKS_PER_LETTER = 2;
/**
 * Latin letters and signs, each of them one letter. For others the Unicode library is asked, which takes
 * a megabyte for that, for good.
 */
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\u02ff]*$/;

/**
 * @typedef {import('../match/player.js').Player} Player
 *
 * @typedef {object} SavedPlayer
 * @property {number} id
 * @property {string} name
 * @property {string} color
 * @property {string} tokenHash hex
 * @property {string} [lastGame]
 */

/**
 * A name fit for a television: no control or direction characters, no towers of accents, one
 * line, not too long.
 * @param {unknown} raw
 * @returns {string} empty when nothing is left
 */
export function cleanName(raw) {
  if (typeof raw !== 'string') return '';
  if (PLAIN.test(raw))
    return raw.slice(0, 200).replace(/ +/g, ' ').trim().slice(0, NAME_LETTERS).trim();
  const text = raw
    .slice(0, 200)
    .normalize('NFC')
    .replace(/\p{C}/gu, (character) => (character === '\u200d' ? character : ' ')) // joins emoji
    .replace(/[\s\p{Z}]+/gu, ' ')
    .trim();
  const letters = [];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (letters.length === NAME_LETTERS) break;
    const marks = segment.match(/\p{M}/gu)?.length ?? 0;
    letters.push(marks > MARKS_PER_LETTER ? segment.replace(/\p{M}/gu, '') : segment);
  }
  return letters
    .join('')
    .replaceAll(/^\u200d+|\u200d+$/g, '')
    .trim();
}

/**
 * Emits 'change' when anything about the players that others see has changed, and 'gone' with a
 * player whose grace time has run out.
 */
export class Players extends EventEmitter {
  /** @type {Map<number, Player>} */
  #players = new Map();
  #nextId = 1;

  /**
   * @param {object} [options]
   * @param {number} [options.graceMs]
   * @param {number} [options.max] players at the same time
   * @param {number} [options.maxPerAddress] of these, from one address
   */
  constructor({
    graceMs = LIMITS.playerGrace.value,
    max = LIMITS.players.value,
    maxPerAddress = LIMITS.padsPerAddress.value,
  } = {}) {
    super();
    this.graceMs = graceMs;
    this.max = max;
    this.maxPerAddress = maxPerAddress;
  }

  /** @returns {Player[]} in the order of joining */
  get all() {
    return [...this.#players.values()];
  }

  /** @param {number} id */
  get(id) {
    return this.#players.get(id);
  }

  /**
   * @param {unknown} token what a phone kept
   * @returns {Player | undefined}
   */
  find(token) {
    if (typeof token !== 'string' || token.length > 64) return undefined;
    return this.all.find((player) => hasHash(token, player.tokenHash));
  }

  /**
   * @param {unknown} name
   * @param {string} [client] the key of the phone's address; without it the address is not counted
   * @returns {{player: Player, token: string}}
   * @throws {PitvError} PITV_PLAYERS_ADDRESS, PITV_PLAYERS_FULL
   */
  add(name, client) {
    if (client !== undefined && this.#of(client).length >= this.maxPerAddress) {
      if (!this.#makeRoom(this.#of(client))) {
        throw new PitvError(
          'PITV_PLAYERS_ADDRESS',
          `There are ${this.maxPerAddress} players from this address already. Another phone has to leave first, or start the TV with a higher --max-pads-per-address.`,
        );
      }
    }
    if (this.#players.size >= this.max && !this.#makeRoom(this.all)) {
      throw new PitvError('PITV_PLAYERS_FULL', `There are ${this.max} players already.`);
    }
    const token = newToken();
    /** @type {Player} */
    const player = {
      id: this.#nextId++,
      name: '',
      color: this.#freeColor(),
      connected: true,
      match: undefined,
      lastGame: undefined,
      tokenHash: hashToken(token),
      client,
      graceTimer: undefined,
    };
    player.name = this.#uniqueName(cleanName(name) || `Player ${player.id}`, player);
    this.#players.set(player.id, player);
    this.emit('change');
    return { player, token };
  }

  /** @param {string} client @returns {Player[]} */
  #of(client) {
    return this.all.filter((player) => player.client === client);
  }

  /**
   * Removes a player who is away and not in a match: one of the address that has the most of them, so
   * that a client that comes and goes takes no place but its own.
   * @param {Player[]} players to choose from
   * @returns {boolean} whether there was one
   */
  #makeRoom(players) {
    const away = players.filter((player) => !player.connected && !player.match);
    const [chosen] = mostFrequent(away, ({ client }) => client);
    if (chosen) this.remove(chosen);
    return chosen !== undefined;
  }

  /** @param {Player} player @param {unknown} name nothing changes when nothing of it is left */
  rename(player, name) {
    const clean = cleanName(name);
    if (!clean || clean === player.name) return;
    player.name = this.#uniqueName(clean, player);
    this.emit('change');
  }

  /** @param {Player} player whose phone is there (again) */
  connect(player) {
    clearTimeout(player.graceTimer);
    player.graceTimer = undefined;
    if (player.connected) return;
    player.connected = true;
    this.emit('change');
  }

  /** @param {Player} player whose phone has gone; the place is kept for the grace time */
  disconnect(player) {
    if (!this.#players.has(player.id) || (!player.connected && player.graceTimer)) return;
    player.connected = false;
    clearTimeout(player.graceTimer);
    player.graceTimer = setTimeout(() => this.remove(player), this.graceMs);
    player.graceTimer.unref();
    this.emit('change');
  }

  /** @param {Player} player */
  remove(player) {
    clearTimeout(player.graceTimer);
    if (!this.#players.delete(player.id)) return;
    player.connected = false;
    this.emit('gone', player);
    this.emit('change');
  }

  /** @returns {SavedPlayer[]} for the next start */
  save() {
    return this.all.map(({ id, name, color, tokenHash, lastGame }) => ({
      id,
      name,
      color,
      lastGame,
      tokenHash: tokenHash.toString('hex'),
    }));
  }

  /** @param {SavedPlayer[]} saved their grace time begins now */
  restore(saved) {
    for (const { id, name, color, tokenHash, lastGame } of saved.slice(0, this.max)) {
      const hash = Buffer.from(String(tokenHash), 'hex');
      if (!Number.isSafeInteger(id) || id < 1 || this.#players.has(id) || hash.length !== 32) {
        continue;
      }
      /** @type {Player} */
      const player = {
        id,
        name: cleanName(name) || `Player ${id}`,
        color: PLAYER_COLORS.includes(color) ? color : this.#freeColor(),
        connected: false,
        match: undefined,
        lastGame: typeof lastGame === 'string' ? lastGame : undefined,
        tokenHash: hash,
        client: undefined,
        graceTimer: undefined,
      };
      this.#players.set(id, player);
      this.#nextId = Math.max(this.#nextId, id + 1);
      this.disconnect(player);
    }
  }

  close() {
    for (const player of this.all) clearTimeout(player.graceTimer);
  }

  #freeColor() {
    const uses = PLAYER_COLORS.map(
      (color) => this.all.filter((player) => player.color === color).length,
    );
    return PLAYER_COLORS[uses.indexOf(Math.min(...uses))];
  }

  /** @param {string} name @param {Player} self */
  #uniqueName(name, self) {
    const taken = new Set(this.all.filter((each) => each !== self).map((each) => each.name));
    let unique = name;
    for (let n = 2; taken.has(unique); n++) unique = `${name} ${n}`;
    return unique;
  }
}
