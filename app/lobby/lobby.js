/** The players and the running matches of a TV. */
import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { capacity } from './capacity.js';
import { checkOptions } from '../packages/catalog.js';
import { GameList } from './game-list.js';
import { PitvError, messageOf } from '../errors.js';
import { JoinCode } from './join-code.js';
import { BucketMap } from '../limits/bucket-map.js';
import { LIMITS } from '../limits/table.js';
import { Match } from '../match/match.js';
import { checkValue, integer } from '../options.js';
import { MAX_BOT_STRENGTH } from '../storage/people-file.js';
import { Players } from './players.js';
import { ReadyCheck } from './ready-check.js';
import { hashToken, newToken } from './tokens.js';
import { Venue } from './venue.js';
import { WaitingLines } from './waiting.js';

/** @typedef {import('./players.js').Player} Player */
/** @typedef {import('../packages/catalog.js').Game} Game */
/** @typedef {import('../match/saved-match.js').Saved} Saved */

const MAX_MATCH_ID = 0xffff; // a frame has 16 bits for it
/** Events of a match that change what the lobby shows. */
const CHANGES = new Set(['phase', 'slots', 'restart', 'ended']);

/**
 * @typedef {object} LobbyOptions
 * @property {Game[]} games @property {import('../engine/index.js').Engine} engine
 * @property {import('pino').Logger} log @property {number | 'auto'} maxMatches
 * @property {string} [code] random by default
 * @property {number} [graceMs] time for which the seat of a disconnected player is kept
 * @property {number} [maxPadsPerAddress]
 * @property {number} [readyMs] see ReadyCheck
 * @property {Venue} [venue] @property {Partial<import('../match/timers.js').MatchLimits>} [limits]
 * @property {import('../match/seats.js').InputSink} [inputSink]
 * @property {import('../match/match.js').MatchOptions['createWorker']} [createWorker]
 * @property {() => number} [clock] ms
 *
 * @typedef {object} NewMatch
 * @property {Game} game
 * @property {Record<string, number>} options checked
 * @property {string} owner who may stop it
 * @property {Buffer} tokenHash of the token that may stop it as well
 * @property {Player} [first] the player who gets a seat first
 */

/**
 * Emits 'change' when the lobby's players or matches have changed, 'started' (match), and the events of each match with
 * the match before what they tell: 'ended' (match, end, players), for example.
 */
export class Lobby extends EventEmitter {
  /** @type {Map<number, Match>} */
  #matches = new Map();
  #lastId = randomInt(MAX_MATCH_ID); // an id from an earlier start should not name another match
  #closed = false;
  #starts = new BucketMap(LIMITS.matchStarts.value);
  #options;
  /** The option `botStrength` of new matches whose game has it: 0 easy, 1 normal, 2 hard. */
  botStrength = 0;

  /** @param {LobbyOptions} options */
  constructor(options) {
    super();
    const { games, engine, log, code, graceMs, maxPadsPerAddress } = options;
    this.#options = options;
    this.gameList = new GameList(games);
    this.engine = engine;
    this.log = log;
    this.clock = options.clock ?? (() => performance.now());
    this.code = new JoinCode({ code, clock: this.clock });
    this.players = new Players();
    if (graceMs !== undefined) this.players.graceMs = graceMs;
    if (maxPadsPerAddress !== undefined) this.players.maxPerAddress = maxPadsPerAddress;
    this.players.on('change', () => this.emit('change'));
    this.players.on('gone', (player) => player.match?.leave(player));
    this.waiting = new WaitingLines(this);
    this.ready = new ReadyCheck(this, options.readyMs);
    this.venue = options.venue ?? new Venue();
  }

  /** @returns {Match[]} starting and running ones */
  get matches() {
    return [...this.#matches.values()];
  }

  get games() {
    return this.gameList.games;
  }
  /** Those that screens and phones offer. */
  get offered() {
    return this.venue.offered(this.games);
  }

  /** How many matches this machine can run, and runs. */
  get ownCapacity() {
    const running = this.matches.filter(({ isOwn }) => isOwn).length;
    return capacity({ maxMatches: this.#options.maxMatches, running });
  }
  get capacity() {
    return this.ownCapacity;
  }

  /** Replaces the list of games. Running matches keep theirs. @param {Game[]} games */
  setGames(games) {
    this.gameList.set(games);
    this.emit('change');
  }

  /** Sets botStrength. @param {unknown} strength @throws {PitvError} PITV_OPTION_INVALID */
  setBotStrength(strength) {
    checkValue('The lobby', 'strength', integer(0, MAX_BOT_STRENGTH), strength);
    this.botStrength = Number(strength);
    this.emit('change');
  }

  /** Finds a game. @param {unknown} id @returns {Game} @throws {PitvError} PITV_GAME_UNKNOWN */
  game(id) {
    return this.gameList.get(id);
  }

  /** Finds a match. @param {number} id @returns {Match | undefined} */
  find(id) {
    return this.#matches.get(id);
  }

  /** Finds a match. @param {unknown} id @returns {Match} @throws {PitvError} PITV_MATCH_UNKNOWN */
  match(id) {
    const match = this.find(Number(id));
    if (!match) throw new PitvError('PITV_MATCH_UNKNOWN', 'There is no such match.');
    return match;
  }

  /**
   * Starts a match. Connected players without a match join it while there are seats.
   * @param {unknown} gameId @param {object} how @param {unknown} [how.options]
   * @param {string} how.owner who may stop it
   * @param {string} [how.client] key of the client's address; without it, as for the admin, the number of starts is not
   *   limited, and the venue is not asked
   * @param {Player} [how.first] the player who gets a seat first
   * @returns {Promise<{match: Match, token: string}>} token: gives the right to stop the match
   * @throws {PitvError} PITV_GAME_UNKNOWN, PITV_OPTION_INVALID, PITV_CAPACITY, PITV_START_BUSY, PITV_CLOSED, or
   *   what the engine throws
   */
  async start(gameId, { options, owner, client, first }) {
    const game = this.game(gameId);
    const checked = checkOptions(game, options);
    const { botStrength } = game.options;
    if (botStrength && checked.botStrength === undefined) {
      const { min, max } = botStrength;
      checked.botStrength = Math.max(min, Math.min(max, this.botStrength));
    }
    if (client !== undefined) {
      this.venue.admit(game, this.games);
      await this.venue.endDemo();
    }
    this.checkCapacity();
    if (client !== undefined && !this.#starts.take(client, this.clock())) {
      throw new PitvError(
        'PITV_START_BUSY',
        'Too many matches were started from this address. Wait some seconds, then try again.',
        { details: { retryAfterS: this.#starts.secondsUntilOne(client) } },
      );
    }
    if (game.prepare) {
      await game.prepare(checked);
      this.checkCapacity(); // others may have started meanwhile
    }
    const token = newToken();
    const need = { game, options: checked, owner, tokenHash: hashToken(token), first };
    return { match: await this.begin(need), token };
  }

  /**
   * Starts a match whose options have been checked. Connected players without a match join it while there are seats.
   * @param {NewMatch} need @returns {Promise<Match>}
   */
  async begin({ game, first, ...rest }) {
    const match = this.#create(game, { id: this.#freeId(), ...rest });
    const isIdle = (/** @type {Player} */ player) =>
      !player.match && (player.connected || player === first);
    const idle = this.players.all.filter(isIdle);
    const wanting = [...new Set([first, ...this.waiting.missed, ...idle])];
    const sorted = wanting.flatMap((player) => (player && idle.includes(player) ? [player] : []));
    const seated = sorted.splice(0, match.seats.slots.length);
    // In the order in which they came: who has the colour of an earlier one gets another.
    for (const player of idle) if (seated.includes(player)) match.join(player);
    if (game.players.max > 0) for (const player of sorted) this.waiting.join(player, match);
    this.emit('change');
    await match.start();
    this.emit('started', match);
    return match;
  }

  /** @throws {PitvError} PITV_CAPACITY */
  checkCapacity({ max, running, why } = this.capacity) {
    if (!this.#closed && running < max) return;
    const sentence = `${running} of ${max} matches are running already (${why}). End one first.`;
    throw new PitvError('PITV_CAPACITY', sentence);
  }

  /** @param {Game} game @param {Omit<NewMatch, 'game' | 'first'> & {id: number}} rest */
  #create(game, rest) {
    const { engine, log, limits, inputSink, createWorker } = this.#options;
    const match = new Match({ game, engine, log, limits, inputSink, createWorker, ...rest });
    this.#matches.set(match.id, match);
    match.on('event', (event, ...about) => {
      if (event === 'ended') {
        this.#matches.delete(match.id);
        this.gameList.noteEnd(match);
      }
      this.emit(event, match, ...about);
      if (CHANGES.has(event)) this.emit('change');
    });
    return match;
  }

  #freeId() {
    do this.#lastId = (this.#lastId % MAX_MATCH_ID) + 1;
    while (!this.isFree(this.#lastId));
    return this.#lastId;
  }

  /** Tells whether a match may get an id. @param {number} id */
  isFree(id) {
    return !this.#matches.has(id);
  }

  /**
   * Moves a player to a match.
   * @param {Player} player @param {unknown} id of the match @returns {Promise<Match>}
   * @throws {PitvError} PITV_MATCH_UNKNOWN, PITV_MATCH_FULL, PITV_MATCH_OVER
   */
  async join(player, id) {
    const match = this.match(id);
    if (player.match === match) return match;
    if (!match.open) throw new PitvError('PITV_MATCH_FULL', 'All seats of this match are taken.');
    await this.move(player, match);
    this.emit('change');
    return match;
  }

  /** See join(). @param {Player} player @param {Match} match that has a seat */
  async move(player, match) {
    player.match?.leave(player);
    match.join(player);
  }

  /** Moves a player back to the lobby. @param {Player} player */
  async leave(player) {
    player.match?.leave(player);
    this.emit('change');
  }

  /** Stops all matches. @returns {Promise<import('../match/saved-match.js').SavedMatch[]>} for the next start */
  async suspend() {
    this.#closed = true;
    const results = await Promise.allSettled(this.matches.map((match) => match.suspend()));
    this.players.close();
    this.#matches.clear();
    return results.flatMap((result) => {
      if (result.status === 'fulfilled') return result.value ? [result.value] : [];
      this.log.error({ error: messageOf(result.reason) }, 'a match cannot be saved');
      return [];
    });
  }

  /**
   * Resumes a match of an earlier start. Its players must be restored first.
   * @param {Saved} saved checked @param {Uint8Array} checkpoint
   * @throws {PitvError} PITV_GAME_UNKNOWN, PITV_CHECKPOINT_OTHER_VERSION, PITV_OPTION_INVALID,
   *   PITV_CAPACITY, or what the engine throws
   */
  async resume(saved, checkpoint) {
    const game = this.#gameOf(saved);
    await game.prepare?.(checkOptions(game, saved.options));
    this.checkCapacity();
    const match = this.recreate(saved);
    await match.start({ bytes: checkpoint, tick: saved.tick }, saved.pause);
    this.emit('started', match);
    return match;
  }

  /**
   * Creates a match that has run before, with its players.
   * @param {Omit<Saved, 'tick'>} saved
   * @param {Game} [game] in the version of the match; by default that of the list
   * @returns {Match} not started
   * @throws {PitvError} PITV_GAME_UNKNOWN, PITV_CHECKPOINT_OTHER_VERSION, PITV_OPTION_INVALID
   */
  recreate(saved, game = this.#gameOf(saved)) {
    const options = checkOptions(game, saved.options);
    const match = this.#create(game, {
      id: this.#matches.has(saved.id) ? this.#freeId() : saved.id,
      options,
      owner: String(saved.owner),
      tokenHash: Buffer.from(saved.tokenHash, 'hex'),
    });
    for (const { slot, player: id, presses } of saved.seats) {
      const player = this.players.get(id);
      if (player && match.open) match.join(player, slot, presses);
    }
    return match;
  }

  /** @param {Pick<Saved, 'game' | 'hash'>} saved @returns {Game} */
  #gameOf(saved) {
    const game = this.game(saved.game);
    if (saved.hash !== game.hash) {
      const sentence = `The saved match of ${game.title} belongs to another version of the game.`;
      throw new PitvError('PITV_CHECKPOINT_OTHER_VERSION', sentence);
    }
    return game;
  }
}
