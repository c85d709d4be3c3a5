/**
 * The players: people with a pad. A phone proves with a random token which player it belongs to; the TV stores the
 * token's hash. A phone that reconnects within the grace time is the same player, with the same name, colour and seat.
 */
import { EventEmitter } from 'node:events';
import { PitvError } from '../errors.js';
import { mostFrequent } from '../limits/client-connections.js';
import { LIMITS } from '../limits/table.js';
import { PLAYER_COLORS } from '../match/player-colors.js';
import { cleanName } from './player-name.js';
import { hasHash, hashToken, newToken } from './tokens.js';

/**
 * @typedef {import('../match/seats.js').Player} Player
 *
 * @typedef {object} SavedPlayer
 * @property {number} id @property {string} name @property {string} color
 * @property {string} tokenHash hex
 * @property {string} [lastGame]
 */

/**
 * Emits 'change' when something about the players that others see has changed, and 'gone' (player) when a player was
 * removed, for example because the grace time is over.
 */
export class Players extends EventEmitter {
  /** @type {Map<number, Player>} */
  #players = new Map();
  #nextId = 1;
  /** Distance of the ids of new players. */
  #idStep = 1;
  /** The highest id that was given. No other player gets one up to it: who has left may own a match or a party. */
  lastId = 0;

  /** Time after which a disconnected player is removed, ms. */
  graceMs = LIMITS.playerGrace.value;
  /** Number of players, and of those of one address. */
  max = LIMITS.players.value;
  maxPerAddress = LIMITS.padsPerAddress.value;

  /** All players, in the order of joining. @returns {Player[]} */
  get all() {
    return [...this.#players.values()];
  }

  /** Finds a player by id. @param {number} id @returns {Player | undefined} */
  get(id) {
    return this.#players.get(id);
  }

  /** Finds a player by token. @param {unknown} token of a phone @returns {Player | undefined} */
  find(token) {
    if (typeof token !== 'string' || token.length > 64) return undefined;
    return this.all.find((player) => hasHash(token, player.tokenHash));
  }

  /**
   * Adds a player.
   * @param {unknown} name
   * @param {string} [client] key of the phone's address; without it the address is not counted
   * @param {unknown} [word] for a player without a name, in the language of the phone
   * @param {{token: string, name: string, color: string, id?: number}} [known] of the phone, which was here before: it
   *   keeps its token, its name without another one, its colour if that is free, and its id, and so its points in a
   *   party
   * @returns {{player: Player, token: string}} @throws {PitvError} PITV_PLAYERS_ADDRESS, PITV_PLAYERS_FULL
   */
  add(name, client, word, known) {
    const own = client === undefined ? [] : this.all.filter((player) => player.client === client);
    if (own.length >= this.maxPerAddress && !this.#makeRoom(own)) {
      const sentence = `There are ${this.maxPerAddress} players from this address already. Wait until one leaves, or start the TV with a higher --max-pads-per-address.`;
      throw new PitvError('PITV_PLAYERS_ADDRESS', sentence);
    }
    if (this.#players.size >= this.max && !this.#makeRoom(this.all)) {
      const sentence = `There are ${this.max} players already. Wait until one leaves.`;
      throw new PitvError('PITV_PLAYERS_FULL', sentence);
    }
    const token = known?.token ?? newToken();
    const id = known?.id && !this.#players.has(known.id) ? known.id : this.#newId();
    const about = { id, color: this.#freeColor(known?.color), client };
    const player = makePlayer({ ...about, connected: true, tokenHash: hashToken(token) });
    const clean = cleanName(name) || known?.name || `${cleanName(word) || 'Player'} ${player.id}`;
    player.name = this.#uniqueName(clean, player);
    this.#players.set(player.id, player);
    this.emit('change');
    return { player, token };
  }

  #newId() {
    this.#skip();
    this.lastId = this.#nextId;
    return this.lastId;
  }

  /** Sets the ids of new players, so that no two TVs give the same one. @param {number} first @param {number} step */
  setIds(first, step) {
    this.#idStep = step;
    this.#nextId = first;
    this.#skip();
  }

  /** Skips the ids up to that of the newest player. */
  #skip() {
    const newest = Math.max(this.lastId, ...this.#players.keys());
    const steps = Math.ceil((newest + 1 - this.#nextId) / this.#idStep);
    this.#nextId += Math.max(0, steps) * this.#idStep;
  }

  /**
   * Removes a disconnected player without a match, of the address that has the most of them. A client that connects
   * again and again therefore displaces only its own players.
   * @param {Player[]} players to choose from @returns {boolean} whether one was removed
   */
  #makeRoom(players) {
    const away = players.filter((player) => !player.connected && !player.match);
    const [chosen] = mostFrequent(away, ({ client }) => client);
    if (chosen) this.remove(chosen);
    return chosen !== undefined;
  }

  /** Renames a player, unless no letter of the name is left. @param {Player} player @param {unknown} name */
  rename(player, name) {
    const clean = cleanName(name);
    if (!clean || clean === player.name) return;
    player.name = this.#uniqueName(clean, player);
    this.emit('change');
  }

  /** Marks a player as connected to this TV. @param {Player} player */
  connect(player) {
    clearTimeout(player.graceTimer);
    player.graceTimer = undefined;
    if (player.connected && player.home === undefined) return;
    player.home = undefined;
    player.connected = true;
    this.emit('change');
  }

  /** Marks a player as disconnected, and removes the player after the grace time. @param {Player} player */
  disconnect(player) {
    if (player.home !== undefined) return; // the phone has moved to another TV
    if (!this.#players.has(player.id) || (!player.connected && player.graceTimer)) return;
    player.connected = false;
    this.#beginGrace(player);
    this.emit('change');
  }

  /** Removes a player after the grace time, or after a later one while the match is paused. @param {Player} player */
  #beginGrace(player) {
    clearTimeout(player.graceTimer);
    const onLate = () => (player.match?.paused ? this.#beginGrace(player) : this.remove(player));
    player.graceTimer = setTimeout(onLate, this.graceMs).unref();
  }

  /** Removes a player. @param {Player} player */
  remove(player) {
    clearTimeout(player.graceTimer);
    if (!this.#players.delete(player.id)) return;
    player.connected = false;
    this.emit('gone', player);
    this.emit('change');
  }

  /**
   * Adds or changes a player of another TV, which decides when the player is removed.
   * @param {SavedPlayer & {home: string, connected: boolean}} state
   * @returns {{player: Player, wasConnected: boolean}}
   */
  merge({ id, name, color, tokenHash, lastGame, home, connected }) {
    const known = this.#players.get(id);
    const wasConnected = known?.connected ?? false;
    const player = known ?? makePlayer({ id, color: PLAYER_COLORS[0] });
    clearTimeout(player.graceTimer);
    Object.assign(player, {
      graceTimer: undefined,
      connected,
      lastGame,
      home,
      name: cleanName(name) || `Player ${id}`,
      color: PLAYER_COLORS.includes(color) ? color : player.color,
      tokenHash: Buffer.from(tokenHash, 'hex'),
    });
    this.#players.set(id, player);
    this.#distinguishFrom(player);
    this.emit('change');
    return { player, wasConnected };
  }

  /**
   * Changes the name and colour of own players that a player of another TV has, too: both gave them at the same
   * time. Players in a match and players with a lower id keep theirs.
   * @param {Player} other
   */
  #distinguishFrom(other) {
    for (const player of this.all) {
      if (player.home !== undefined || player.match || player.id <= other.id) continue;
      if (player.name === other.name) player.name = this.#uniqueName(player.name, player);
      const free = this.#freeColor();
      const isFree = this.all.every(({ color }) => color !== free);
      if (player.color === other.color && isFree) player.color = free;
    }
  }

  /** Takes charge of a player whose TV is gone: the grace time begins. @param {Player} player */
  adopt(player) {
    player.home = undefined;
    player.connected = true;
    this.disconnect(player);
  }

  /** Describes all players for the next start. @returns {SavedPlayer[]} */
  save() {
    return this.all.map(({ id, name, color, tokenHash, lastGame }) => {
      return { id, name, color, lastGame, tokenHash: tokenHash.toString('hex') };
    });
  }

  /**
   * Adds saved players as disconnected ones. Their grace time begins now.
   * @param {SavedPlayer[]} saved checked @param {number} [lastId] see lastId
   */
  restore(saved, lastId = 0) {
    this.lastId = Math.max(this.lastId, lastId);
    for (const { id, name, color, tokenHash, lastGame } of saved.slice(0, this.max)) {
      if (this.#players.has(id)) continue;
      const player = makePlayer({
        id,
        name: cleanName(name) || `Player ${id}`,
        color: PLAYER_COLORS.includes(color) ? color : this.#freeColor(),
        lastGame,
        tokenHash: Buffer.from(tokenHash, 'hex'),
      });
      this.#players.set(id, player);
      this.#skip();
      this.disconnect(player);
    }
  }

  close() {
    for (const player of this.all) clearTimeout(player.graceTimer);
  }

  /** @param {string} [wanted] is returned if nobody has it */
  #freeColor(wanted) {
    const uses = PLAYER_COLORS.map(
      (color) => this.all.filter((player) => player.color === color).length,
    );
    if (wanted && uses[PLAYER_COLORS.indexOf(wanted)] === 0) return wanted;
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

/** @param {Partial<Player> & {id: number, color: string}} known @returns {Player} */
const makePlayer = (known) => ({
  name: '',
  connected: false,
  match: undefined,
  lastGame: undefined,
  tokenHash: Buffer.alloc(0),
  client: undefined,
  graceTimer: undefined,
  ...known,
});
