/** A party: several games in turn with one table of points. Everybody without a match plays the next game. */
import { PitvError, messageOf } from '../errors.js';
import { PartyTable, planGames } from './party-rules.js';

/** Pause between two games, in which the table is shown. */
const REST_MS = 10_000;
/** The table of a party that is over is closed after this time, or when another match starts. */
const OVER_MS = 5 * 60_000;

/**
 * @typedef {import('./lobby.js').Lobby} Lobby
 * @typedef {import('../match/match.js').End} End
 * @typedef {import('./party-rules.js').Line} Line
 *
 * @typedef {object} PartyState
 * @property {'playing' | 'resting' | 'over'} phase
 * @property {number} played number of finished games
 * @property {number} games number of all games
 * @property {string | null} next id of the next game, or of the one that is played; null when the party is over
 * @property {number} restMs length of a pause
 * @property {number} leftMs until it ends
 * @property {Line[]} table most points first
 *
 * @typedef {object} SavedParty state that is saved for the next start of the TV
 * @property {PartyState['phase'] | 'none'} phase
 * @property {string[]} plan ids of the games
 * @property {number} played @property {string} owner
 * @property {number} [match] id of the running one
 * @property {Line[]} table
 */

/** @type {Readonly<Omit<SavedParty, 'table'>>} */
const NONE = Object.freeze({ phase: 'none', plan: [], played: 0, owner: '' });

export class Party {
  #state = { ...NONE };
  /** @type {string | undefined} key of the address that started the party */
  #client;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** When the pause ends, performance.now(). */
  #restUntil = 0;
  #table = new PartyTable();
  /** Grows when the party is replaced, so that a match that is being started does not belong to it. */
  #turn = 0;
  /** Number of its matches that are being started. */
  #starting = 0;

  /** @param {{lobby: Lobby, log: import('pino').Logger, restMs?: number}} services */
  constructor({ lobby, log, restMs = REST_MS }) {
    this.lobby = lobby;
    this.log = log;
    this.restMs = restMs;
    lobby.on('ended', ({ id }, end) => {
      if (id === this.#state.match && this.runs) this.#onEnded(end);
    });
    lobby.on('started', () => {
      if (this.runs && this.#starting === 0) this.#closeTable();
    });
  }

  // Which TV runs the party: one that is alone always does.

  /** Whether this TV starts the games. */
  get runs() {
    return true;
  }
  /** Whether the next game may start now. */
  get mayPlay() {
    return true;
  }
  /** Called before a party starts on this TV. */
  claim() {}
  /** Called when the party has changed. */
  changed() {
    this.lobby.emit('change');
  }

  /** Returns what the next start of the TV needs. @returns {SavedParty | undefined} undefined without a party */
  save() {
    if (this.#state.phase === 'none') return undefined;
    return { ...this.#state, table: this.#table.lines };
  }

  /** Takes over a saved party. Call goOn() when the saved matches have been resumed. @param {SavedParty} saved */
  restore(saved) {
    this.show(saved);
  }

  /** Shows a party without continuing it. @param {SavedParty | undefined} saved undefined: there is none */
  show(saved) {
    clearTimeout(this.#timer);
    this.#turn++;
    const { table, ...state } = saved ?? { ...NONE, table: [] };
    if (state.phase === 'resting' && this.#state.phase !== 'resting') this.#beginRest();
    this.#state = state;
    this.#table = new PartyTable(table);
  }

  /**
   * Continues a restored party: after its match, or with the next game if that match was not resumed. Forgets the party
   * if it is over, or if the TV has no players.
   * @param {Pick<End, 'reason' | 'results' | 'teams'>} [end] of its match, if that is known
   */
  goOn(end = { reason: 'failed', results: [] }) {
    const { phase, match } = this.#state;
    if (match !== undefined && this.lobby.find(match)) return this.changed();
    if (phase === 'over' || this.lobby.players.all.length === 0) {
      this.#state.phase = 'none';
      this.changed();
    } else if (phase === 'playing') this.#onEnded(end);
    else if (phase === 'resting') this.#rest();
  }

  /** Starts no more games. */
  close() {
    clearTimeout(this.#timer);
  }

  /** @returns {Omit<PartyState, 'table' | 'leftMs'> | null} null without a party */
  get progress() {
    const { phase, played, plan } = this.#state;
    if (phase === 'none') return null;
    const next = plan[played] ?? null;
    return { phase, played, games: plan.length, next, restMs: this.restMs };
  }

  /** @returns {PartyState | null} null without a party */
  get state() {
    const { progress } = this;
    const leftMs = Math.round(this.#restUntil - performance.now());
    const isResting = this.#state.phase === 'resting' && leftMs > 0;
    return progress && { ...progress, leftMs: isResting ? leftMs : 0, table: this.#table.lines };
  }

  /** Returns a player's points. @param {number} player id @returns {number} */
  pointsOf(player) {
    return this.#table.pointsOf(player);
  }

  /** Who has started it. */
  get owner() {
    return this.#state.owner;
  }

  /** Tells whether somebody has started the party. @param {string} owner */
  isOf(owner) {
    return this.#isRunning && owner === this.#state.owner;
  }

  /** Whether its next game is about to start. */
  get isBetweenGames() {
    const { phase, match } = this.#state;
    return phase === 'resting' || (phase === 'playing' && match === undefined);
  }

  get #isRunning() {
    return this.#state.phase === 'playing' || this.#state.phase === 'resting';
  }

  /**
   * Starts a party with the first game.
   * @param {object} how @param {unknown} how.games number of games, 2..9
   * @param {unknown} [how.first] id of the first game @param {string} how.owner who may stop it
   * @param {string} [how.client] see Lobby.start()
   * @throws {PitvError} PITV_PARTY_RUNNING, PITV_OPTION_INVALID, PITV_GAME_UNKNOWN, or what Lobby.start() throws
   */
  async start({ games, first, owner, client }) {
    if (this.#isRunning) {
      const sentence = 'A party is running already. Wait until it is over.';
      throw new PitvError('PITV_PARTY_RUNNING', sentence);
    }
    const plan = planGames(this.lobby.offered, games, first);
    this.claim();
    this.#turn++;
    this.#state = { ...NONE, plan, owner };
    this.#client = client;
    this.#table = new PartyTable();
    await this.#play();
  }

  async #play() {
    const turn = this.#turn;
    this.#state.phase = 'playing';
    this.#state.match = undefined;
    const away = this.lobby.players.all.filter(({ connected }) => !connected);
    this.#starting++;
    try {
      const { match } = await this.lobby.start(this.#state.plan[this.#state.played], {
        owner: this.#state.owner,
        client: this.#state.played === 0 ? this.#client : undefined, // its own matches are no flood
      });
      if (turn !== this.#turn) return void match.stop(); // the party was stopped meanwhile
      this.#state.match = match.id;
      if (match.end) return this.#onEnded(match.end); // before its start was reported
      // Those who were away get a seat as soon as they are back.
      for (const player of away) {
        if (player.match || !this.lobby.players.get(player.id)) continue; // has a seat, or is gone
        this.lobby.waiting.join(player, match);
      }
    } catch (error) {
      if (turn === this.#turn && this.#state.played === 0) this.#end();
      else if (turn === this.#turn) this.#onEnded({ reason: 'failed', results: [] });
      throw error;
    } finally {
      this.#starting--;
    }
    this.changed();
  }

  /** @param {Pick<End, 'reason' | 'results' | 'teams'>} end of the party's match */
  #onEnded({ reason, results, teams }) {
    this.#state.match = undefined;
    if (reason === 'done') this.#table.add({ results, teams });
    // Nobody is left, or the match was stopped by its owner or the admin.
    if (reason === 'empty' || reason === 'stopped') return this.#end();
    this.#state.played++;
    if (this.#state.played === this.#state.plan.length) return this.#end();
    this.#rest();
  }

  /** Plays the next game after a pause. */
  #rest() {
    this.#state.phase = 'resting';
    this.#state.match = undefined;
    this.#wait();
    this.changed();
  }

  #wait() {
    this.#beginRest();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#playNext(), this.restMs).unref();
  }

  #beginRest() {
    this.#restUntil = performance.now() + this.restMs;
  }

  /** Starts the next game now, if the party is waiting for it. @returns {Promise<void>} */
  async next() {
    if (this.#state.phase !== 'resting') return;
    clearTimeout(this.#timer);
    await this.#playNext();
  }

  async #playNext() {
    if (!this.runs) return;
    if (!this.mayPlay) return this.#wait();
    const { games, players, venue } = this.lobby;
    const isThere = (/** @type {string} */ game) => games.some(({ id }) => id === game);
    const { played } = this.#state;
    const plan = this.#state.plan.filter((game, i) => i < played || isThere(game)); // some may be removed
    this.#state.plan = plan;
    const isOver = played === plan.length || players.all.length === 0;
    if (isOver || venue.closedUntil) return this.#end();
    try {
      await this.#play();
    } catch (error) {
      this.log.warn({ error: messageOf(error) }, 'the next game of a party cannot be started');
    }
  }

  /** Ends the party. Its table remains for a while. */
  #end() {
    clearTimeout(this.#timer);
    this.#turn++;
    this.#state.match = undefined;
    this.#state.phase = this.#table.lines.length > 0 ? 'over' : 'none';
    if (this.#state.phase === 'over') {
      this.#timer = setTimeout(() => this.#closeTable(), OVER_MS).unref();
    }
    this.changed();
  }

  /** Closes the table of a party that is over. */
  #closeTable() {
    if (this.#state.phase !== 'over') return;
    clearTimeout(this.#timer);
    this.#state.phase = 'none';
    this.changed();
  }

  /**
   * Stops the party and its match, or closes its table. For a screen that has not started the party, the game that is
   * played becomes the last one.
   * @param {string} owner @param {boolean} [isScreen] @throws {PitvError} PITV_NOT_YOURS
   */
  async stop(owner, isScreen = false) {
    if (this.#state.phase === 'over') return this.#closeTable();
    const isOwn = owner === this.#state.owner;
    if (!isOwn && !isScreen) {
      const sentence = 'Only who has started the party, or a screen, may end it.';
      throw new PitvError('PITV_NOT_YOURS', sentence);
    }
    if (!this.#isRunning) return;
    if (!isOwn && this.#state.phase === 'playing') {
      this.#state.plan = this.#state.plan.slice(0, this.#state.played + 1);
      return this.changed();
    }
    const match = this.lobby.find(this.#state.match ?? 0);
    this.#end();
    await match?.stop();
  }
}
