/**
 * A party: several games in turn with one table of points. Everybody without a match plays the next game; bots get no
 * points.
 */
import { PitvError, messageOf } from '../errors.js';
import { placeOf } from '../match/results.js';

/** Number of games that a party may have. */
const MIN_GAMES = 2;
const MAX_GAMES = 9;
/** Points of the first places; all others who have played get one. */
const PLACE_POINTS = Object.freeze([5, 3, 2]);
const OTHER_POINTS = 1;
/** Pause between two games, in which the table is shown. */
const REST_MS = 10_000;

/**
 * @typedef {import('./lobby.js').Lobby} Lobby
 * @typedef {import('../match/match.js').End} End
 * @typedef {{player: number, name: string, color: string, points: number}} Line
 *
 * @typedef {object} PartyState
 * @property {'playing' | 'resting' | 'over'} phase
 * @property {number} played number of finished games
 * @property {number} games number of all games
 * @property {string | null} next id of the next game, or of the one that is played; null when the party is over
 * @property {number} restMs length of a pause
 * @property {Line[]} table most points first
 *
 * @typedef {object} SavedParty state that is saved for the next start of the TV
 * @property {PartyState['phase']} phase
 * @property {string[]} plan ids of the games
 * @property {number} played
 * @property {string} owner
 * @property {number} [match] id of the running one
 * @property {Line[]} table
 */

export class Party {
  /** Ids of the games. @type {string[]} */
  #plan = [];
  #played = 0;
  #owner = '';
  /** @type {string | undefined} key of the address that started the party */
  #client;
  /** @type {import('../match/match.js').Match | undefined} */
  #match;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {Map<number, Line>} */
  #table = new Map();
  /** @type {PartyState['phase'] | 'none'} */
  #phase = 'none';
  /** Id of the saved match that will be resumed. @type {number | undefined} */
  #resumedId;

  /**
   * @param {{lobby: Lobby, log: import('pino').Logger, restMs?: number}} services
   */
  constructor({ lobby, log, restMs = REST_MS }) {
    this.lobby = lobby;
    this.log = log;
    this.restMs = restMs;
    lobby.on('ended', (match, end) => {
      if (match === this.#match) this.#onEnded(end);
    });
    lobby.on('started', (match) => {
      if (match.id === this.#resumedId) this.#match = match;
    });
  }

  /** Returns what the next start of the TV needs. @returns {SavedParty | undefined} undefined without a party */
  save() {
    if (this.#phase === 'none') return undefined;
    return {
      phase: this.#phase,
      plan: this.#plan,
      played: this.#played,
      owner: this.#owner,
      match: this.#match?.id,
      table: [...this.#table.values()],
    };
  }

  /**
   * Takes over a saved party. Call goOn() when the saved matches have been resumed.
   * @param {SavedParty} saved
   */
  restore({ phase, plan, played, owner, match, table }) {
    this.#phase = phase;
    this.#plan = plan;
    this.#played = played;
    this.#owner = owner;
    this.#resumedId = match;
    this.#table = new Map(table.map((line) => [line.player, line]));
  }

  /**
   * Continues a restored party: after its match, or with the next game if that match was not resumed. Forgets the party if
   * the TV has no players.
   */
  goOn() {
    this.#resumedId = undefined;
    if (this.#match) return;
    if (this.lobby.players.all.length === 0) {
      this.#phase = 'none';
      this.lobby.emit('change');
    } else if (this.#phase === 'playing') this.#onEnded({ reason: 'failed', results: [] });
    else if (this.#phase === 'resting') this.#rest();
  }

  /** Starts no more games. */
  close() {
    clearTimeout(this.#timer);
  }

  /** @returns {Omit<PartyState, 'table'> | null} null without a party */
  get progress() {
    if (this.#phase === 'none') return null;
    return {
      phase: this.#phase,
      played: this.#played,
      games: this.#plan.length,
      next: this.#plan[this.#played] ?? null,
      restMs: this.restMs,
    };
  }

  /** @returns {PartyState | null} null without a party */
  get state() {
    const { progress } = this;
    const table = [...this.#table.values()].sort((a, b) => b.points - a.points);
    return progress && { ...progress, table };
  }

  /** Returns a player's points. @param {number} player id @returns {number} */
  pointsOf(player) {
    return this.#table.get(player)?.points ?? 0;
  }

  get #isRunning() {
    return this.#phase === 'playing' || this.#phase === 'resting';
  }

  /**
   * Starts a party with the first game.
   * @param {object} how
   * @param {unknown} how.games number of games, 2..9
   * @param {unknown} [how.first] id of the first game
   * @param {string} how.owner who may stop it
   * @param {string} [how.client] see Lobby.start()
   * @throws {PitvError} PITV_PARTY_RUNNING, PITV_OPTION_INVALID, PITV_GAME_UNKNOWN, or what Lobby.start() throws
   */
  async start({ games, first, owner, client }) {
    if (this.#isRunning) {
      throw new PitvError(
        'PITV_PARTY_RUNNING',
        'A party is running already. Wait until it is over.',
      );
    }
    const count = Number(games);
    if (!Number.isInteger(count) || count < MIN_GAMES || count > MAX_GAMES) {
      const sentence = `A party has ${MIN_GAMES} to ${MAX_GAMES} games.`;
      throw new PitvError('PITV_OPTION_INVALID', sentence);
    }
    this.#plan = this.#planGames(count, first);
    this.#owner = owner;
    this.#client = client;
    this.#played = 0;
    this.#table.clear();
    await this.#play();
  }

  /** Lists the games of a party: those for several players, in turn. @param {number} count @param {unknown} first */
  #planGames(count, first) {
    const ids = this.lobby.games.filter(({ players }) => players.max > 1).map(({ id }) => id);
    const from = first === undefined ? 0 : ids.indexOf(String(first));
    if (from < 0 || ids.length === 0) {
      throw new PitvError('PITV_GAME_UNKNOWN', 'There is no such game for several players.');
    }
    return Array.from({ length: count }, (_none, i) => ids[(from + i) % ids.length]);
  }

  async #play() {
    this.#phase = 'playing';
    try {
      const { match } = await this.lobby.start(this.#plan[this.#played], {
        owner: this.#owner,
        client: this.#played === 0 ? this.#client : undefined, // its own matches are no flood
      });
      if (this.#phase !== 'playing') return void match.stop(); // the party was stopped meanwhile
      this.#match = match;
      // A game that fails at once has ended before its start is reported.
      if (!this.lobby.matches.includes(match)) this.#onEnded({ reason: 'failed', results: [] });
    } catch (error) {
      this.#end();
      throw error;
    }
    this.lobby.emit('change');
  }

  /** @param {Pick<End, 'reason' | 'results' | 'teams'>} end of the party's match */
  #onEnded({ reason, results, teams }) {
    this.#match = undefined;
    if (reason === 'done') this.#addPoints({ results, teams });
    // Nobody is left, or the match was stopped by its owner or the admin.
    if (reason === 'empty' || reason === 'stopped') return this.#end();
    this.#played++;
    if (this.#played === this.#plan.length) return this.#end();
    this.#rest();
  }

  /** Plays the next game after a pause. */
  #rest() {
    this.#phase = 'resting';
    this.#timer = setTimeout(() => this.#playNext(), this.restMs).unref();
  }

  async #playNext() {
    try {
      await this.#play();
    } catch (error) {
      this.log.warn({ error: messageOf(error) }, 'the next game of a party cannot be started');
    }
  }

  /** @param {Pick<End, 'results' | 'teams'>} scores of a game */
  #addPoints(scores) {
    for (const result of scores.results) {
      const { player, name, color } = result;
      if (player === null) continue;
      const points = PLACE_POINTS[placeOf(result, scores) - 1] ?? OTHER_POINTS;
      this.#table.set(player, { player, name, color, points: this.pointsOf(player) + points });
    }
  }

  /** Ends the party. Its table remains until it is closed or the next party starts. */
  #end() {
    clearTimeout(this.#timer);
    this.#match = undefined;
    this.#phase = this.#table.size > 0 ? 'over' : 'none';
    this.lobby.emit('change');
  }

  /**
   * Stops the party, and its running match; the table of one that is over is closed.
   * @param {string} owner @returns {Promise<void>}
   * @throws {PitvError} PITV_NOT_YOURS
   */
  async stop(owner) {
    if (owner !== this.#owner) {
      throw new PitvError('PITV_NOT_YOURS', 'Only the screen that started the party may end it.');
    }
    if (this.#phase === 'over') {
      this.#phase = 'none';
      this.lobby.emit('change');
      return;
    }
    if (!this.#isRunning) return;
    const match = this.#match;
    this.#end();
    await match?.stop();
  }
}
