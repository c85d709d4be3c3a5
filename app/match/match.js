/** One running game: its seats and its worker. Players keep their seats when another worker takes its place. */
import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { messageOf } from '../errors.js';
import { PHASE } from '../game/frame.js';
import { frameLimitsOf, readPhase } from '../game/frame-reader.js';
import { EmptyTimer, MATCH_LIMITS, Pause } from './timers.js';
import { ResilientWorker, matchOver } from './resilient-worker.js';
import { describeEnd, scoresOf } from './results.js';
import { describeMatch } from './saved-match.js';
import { Seats } from './seats.js';

/** Names of the phases, by number. */
const PHASE_NAMES = Object.keys(PHASE);

/**
 * @typedef {import('./seats.js').Player} Player
 * @typedef {import('./results.js').End} End
 * @typedef {import('./results.js').EndReason} EndReason
 * @typedef {import('./resilient-worker.js').Checkpoint} Checkpoint
 * @typedef {import('./saved-match.js').SavedMatch} SavedMatch
 *
 * @typedef {object} MatchOptions
 * @property {number} id 1..65535, also in each frame
 * @property {import('../packages/catalog.js').Game} game
 * @property {import('../engine/index.js').Engine} engine
 * @property {Record<string, number>} options of the game, checked
 * @property {string} owner who may stop it
 * @property {Buffer} tokenHash of the token that may stop it as well
 * @property {import('pino').Logger} log @property {Partial<import('./timers.js').MatchLimits>} [limits]
 * @property {import('./seats.js').InputSink} [inputSink]
 * @property {(options: import('./resilient-worker.js').ResilientWorkerOptions, match: {id: number}) =>
 *   import('./resilient-worker.js').MatchWorker} [createWorker] by default a ResilientWorker
 */

/**
 * Emits 'slots' when a player takes or leaves a seat, is away or back, 'phase', 'pause' when one has begun or ended,
 * 'restart' ({reason, shortage}) when the worker has failed and another takes its place, 'game' when another version of
 * the game runs, 'warning' (sentence), and 'ended' (End, players) once; and 'event' (name, ...about) after each of
 * these, for those who pass them on.
 */
export class Match extends EventEmitter {
  #empty;
  #phase = -1;
  #pause;
  /** Of a saved match, until it stands still again. @type {import('./timers.js').PauseState | undefined} */
  #pauseBefore;
  /** Why and how the match ended; undefined until then. @type {End | undefined} */
  end;

  /** @param {MatchOptions} given */
  constructor(given) {
    super();
    const { id, game, engine, inputSink } = given;
    const { createWorker = (worker) => new ResilientWorker(worker) } = given;
    this.id = id;
    this.game = game;
    this.owner = given.owner;
    this.tokenHash = given.tokenHash;
    this.options = { seed: randomInt(2 ** 32), ...given.options };
    const log = given.log.child({ match: id, game: game.id });
    const limits = { ...MATCH_LIMITS, ...given.limits };
    this.log = log;
    this.#empty = new EmptyTimer(limits.emptyMs, () => void this.stop('empty'));
    this.#pause = new Pause(limits.pauseMs, () => this.pause());
    const sizes = game.sizes(this.options);
    const { url, lock } = game;
    const module = { url, lock, name: game.id, options: { ...this.options, match: id } };
    const frames = frameLimitsOf(game);
    /** @type {import('./resilient-worker.js').MatchWorker} */
    const worker = createWorker({ engine, ...module, sizes, frames, log, limits }, this);
    this.worker = worker;
    worker.on('mailbox', () => this.seats.publishAll());
    worker.on('running', () => this.emit('phase'));
    for (const event of ['frame', 'restart', 'warning']) {
      worker.on(event, (about) => this.emit(event, about));
    }
    worker.on('paused', (by) => {
      this.#pause.set(by);
      this.#empty.check(this);
      this.emit('pause');
    });
    worker.on('end', (reason, end) => this.#finish(reason, end));
    const count = Math.min(game.players.max, sizes.inputSlots);
    this.seats = new Seats(count, worker, limits.absentAfterMs, { match: this, inputSink });
  }

  /** @param {string} name @param {...any} about @returns {boolean} */
  emit(name, ...about) {
    const isHeard = super.emit(name, ...about);
    return super.emit('event', name, ...about) || isHeard;
  }

  /** Why the last worker failed, as a sentence; undefined if none has. */
  get problem() {
    return this.worker.problem && `${this.game.title}: ${this.worker.problem}`;
  }
  /** Whether this TV runs the match, and so ends, records and saves it. */
  get isOwn() {
    return this.worker.isOwn;
  }
  get running() {
    return this.worker.running;
  }
  get restarts() {
    return this.worker.restarts;
  }
  get ticks() {
    return this.worker.mailbox?.tick ?? 0;
  }
  /** @returns {string} the name of the game's phase, or starting, restarting, ended */
  get phase() {
    if (this.end) return 'ended';
    if (!this.running) return this.restarts > 0 ? 'restarting' : 'starting';
    return PHASE_NAMES[this.#phase] ?? 'starting';
  }
  /** See Pause. */
  get paused() {
    return this.#pause.state;
  }
  get players() {
    return this.seats.players;
  }
  /** Whether a player can join. */
  get open() {
    return !this.#over && this.seats.open;
  }
  /** The worker's process, 0 while there is no worker. */
  get pid() {
    return this.worker.pid;
  }
  get #over() {
    return this.end !== undefined || this.worker.ended;
  }

  /**
   * Starts the match. The start of a saved match is tried again, like that of any worker after a failure.
   * @param {Checkpoint} [checkpoint] of a saved match @param {import('./saved-match.js').Saved['pause']} [pause]
   * @throws {import('../errors.js').PitvError} PITV_MATCH_OVER, or the engine's error when the first worker of a
   *   new match does not start
   */
  async start(checkpoint, pause) {
    if (this.#over) throw matchOver();
    this.#pauseBefore = pause;
    try {
      await this.worker.start(checkpoint);
    } catch (error) {
      if (!this.worker.ended) {
        this.log.error({ error: messageOf(error) }, 'the match did not start');
        this.#finish('failed');
      }
      throw error;
    }
    this.#empty.check(this);
  }

  /**
   * Gives a player a seat.
   * @param {Player} player
   * @param {number} [wanted] slot @param {[number, number]} [presses] counted before, see Seats.sit()
   * @throws {import('../errors.js').PitvError} PITV_MATCH_FULL, PITV_MATCH_OVER
   */
  join(player, wanted, presses) {
    if (this.#over) throw matchOver();
    this.seats.sit(player, wanted, presses);
    player.match = this;
    player.lastGame = this.game.id;
    this.emit('slots');
    this.#empty.check(this);
  }

  /** Frees a player's seat. The match ends when it was the last player. @param {Player} player */
  leave(player) {
    if (!this.seats.leave(player)) return;
    player.match = undefined;
    this.emit('slots');
    if (this.players.length === 0 && this.isOwn) void this.stop('empty');
    else this.#empty.check(this);
  }

  /** Marks a player as disconnected. The seat is kept. @param {Player} player */
  disconnect(player) {
    this.seats.disconnect(player);
    this.emit('slots');
    this.#empty.check(this);
  }

  /** Marks a player as connected again. @param {Player} player */
  reconnect(player) {
    this.seats.resetInput(player);
    this.emit('slots');
    this.#empty.check(this);
  }

  /**
   * Has the match stand still between two ticks, for MatchLimits.pauseMs at most, or go on.
   * @param {string} [by] the name of who pauses it, '' for a screen; undefined: it goes on
   */
  pause(by) {
    if (!this.#over && (by === undefined) !== (this.paused === undefined)) this.worker.pause(by);
  }

  /** Pauses the match for a screen that asks its players to stop it. */
  askToStop() {
    const { paused } = this;
    if (paused?.asks) return;
    this.#pause.ask();
    if (paused) this.emit('pause');
    else this.pause('');
  }

  /** Takes the newest frame since the last call, valid until the next one. @returns {Uint8Array | undefined} */
  takeFrame() {
    const bytes = this.worker.takeFrame();
    if (!bytes) return undefined;
    const phase = readPhase(bytes);
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.emit('phase');
    }
    if (this.#pauseBefore) {
      this.#pause.resume(this.#pauseBefore);
      this.pause(this.#pauseBefore.by); // now screens have a picture of it
      this.#pauseBefore = undefined;
    }
    return bytes;
  }

  /** Continues with a version of the game that has the same layout. @param {MatchOptions['game']} game */
  async reload(game) {
    await this.worker.replace(() => this.setGame(game));
  }

  /** Sets the game of the next worker, see reload(). @param {MatchOptions['game']} game */
  setGame(game) {
    this.game = game;
    this.worker.setModule(game);
    this.emit('game');
  }

  /** Ends the match. Never hangs, may be called at any time. @param {EndReason} [reason] */
  async stop(reason = 'stopped') {
    if (!this.#over) await this.worker.end(reason);
  }

  /**
   * Stops the worker for good and returns the match for the next start of the TV.
   * @returns {Promise<SavedMatch | undefined>} undefined: the match is over, or has no checkpoint
   */
  async suspend() {
    if (this.#over) return undefined;
    await this.worker.stop();
    const { checkpoint } = this.worker;
    const match = checkpoint && describeMatch(this, checkpoint);
    this.#close();
    return match;
  }

  /** Returns the newest checkpoint, unless the match is over or has none yet. @returns {SavedMatch | undefined} */
  snapshot() {
    if (this.#over) return undefined;
    const checkpoint = this.worker.mailbox?.copyCheckpoint();
    return checkpoint && describeMatch(this, checkpoint);
  }

  /** @param {EndReason} reason @returns {End} */
  #describeEnd(reason) {
    const { ticks, restarts } = this;
    const problem = reason === 'failed' ? this.problem : undefined;
    const about = { reason, problem, ticks, restarts };
    this.log[problem ? 'error' : 'info'](about, 'the match has ended');
    const scores = scoresOf(this.worker.lastFrame, this.seats, this.game.teams);
    return describeEnd(reason, scores, problem);
  }

  /** @param {EndReason} reason @param {End} [known] of a match that another TV has run */
  #finish(reason, known) {
    if (this.end) return;
    const end = known ?? this.#describeEnd(reason);
    this.end = end;
    const { players } = this;
    this.#close();
    for (const player of players) if (player.match === this) player.match = undefined;
    this.emit('ended', end, players);
  }

  #close() {
    this.#pause.set();
    this.#empty.set(false);
    this.seats.close();
    this.worker.close();
  }
}
