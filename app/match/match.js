/**
 * One running game: who sits where, the mailbox, the worker. A worker that fails is followed by
 * another one that goes on from the newest checkpoint in the mailbox; the players keep their seats.
 */
import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError, messageOf } from '../errors.js';
import { readPhase } from '../game/frame-reader.js';
import { PHASE } from '../game/frame.js';
import { ABSENT } from '../game/input.js';
import { LIMITS } from '../limits/table.js';
import { History } from './replay-log.js';
import { END_MESSAGES, resultsOf } from './results.js';
import { Seats } from './seats.js';

/** @typedef {import('./player.js').Player} Player */
/** @typedef {import('./results.js').End} End */
/** @typedef {import('./results.js').EndReason} EndReason */

const PHASE_NAMES = Object.entries(PHASE).reduce((names, [name, value]) => {
  names[value] = name;
  return names;
}, /** @type {string[]} */ ([]));

/** Before the next try after a worker that did not even come up. */
const RETRY_MS = 200;
/** How long a match waits for the machine to have processes, descriptors or memory again. */
const SHORTAGE_MS = 30_000;
/** What the kernel refuses for want of something: EAGAIN, ENOMEM, ENFILE, EMFILE, ENOBUFS. */
const SHORTAGE = /\b(EAGAIN|ENOMEM|ENFILE|EMFILE|ENOBUFS|errno (11|12|23|24|105))\b/;

/**
 * @typedef {object} MatchLimits
 * @property {number} emptyMs a match without a connected player ends after this
 * @property {number} absentAfterMs a dropped player's ball stands still this long before the game
 *   may do what it likes with it
 * @property {number} failures so many failures
 * @property {number} failuresMs within this time end the match
 * @property {number} stopGraceMs for a worker's last checkpoint
 */

/** @type {MatchLimits} */
export const MATCH_LIMITS = Object.freeze({
  emptyMs: LIMITS.emptyMatch.value,
  absentAfterMs: 5_000,
  failures: 3,
  failuresMs: 60_000,
  stopGraceMs: 1000,
});

/**
 * @typedef {object} MatchOptions
 * @property {number} id 1..65535, also in each frame
 * @property {import('../lobby/catalog.js').Game} game
 * @property {import('../engine/index.js').Engine | import('../engine/lazy-engine.js').OpeningEngine} engine
 * @property {Record<string, number>} options checked ones
 * @property {string} owner who may stop it
 * @property {Buffer} tokenHash of the token that may stop it as well
 * @property {import('pino').Logger} log
 * @property {Partial<MatchLimits>} [limits]
 * @property {DirectInputs} [direct]
 *
 * @typedef {object} DirectInputs who else may write a player's inputs, past the main thread; see Seats
 * @property {(player: Player, binding: Binding) => void} bind
 * @property {(player: Player) => void} unbind nothing of the mailbox is used after this
 *
 * @typedef {object} Binding
 * @property {Match} match
 * @property {import('../engine/mailbox/mailbox.js').Mailbox} mailbox
 * @property {number} slot @property {number} generation 0..15
 *
 * @typedef {object} Saved what is needed to go on after a restart of the TV
 * @property {number} id
 * @property {string} game
 * @property {string} hash of the game's version
 * @property {Record<string, number>} options
 * @property {string} owner
 * @property {string} tokenHash hex
 * @property {number} startedAt
 * @property {number} tick
 * @property {{slot: number, player: number}[]} seats
 */

/**
 * Emits 'slots' when somebody takes or leaves a seat, 'phase', 'restart' ({reason}) when a worker
 * failed and another takes over, and 'ended' (End) once.
 */
export class Match extends EventEmitter {
  /** @type {import('../engine/mailbox/mailbox.js').Mailbox | undefined} */
  #mailbox;
  /** @type {import('../engine/index.js').WorkerHandle | undefined} */
  #worker;
  /** @type {number[]} when workers failed, performance.now() */
  #failures = [];
  /** When the machine first and last had no room for a worker, performance.now(). */
  #shortage = { first: -Infinity, last: -Infinity };
  /** @type {NodeJS.Timeout | undefined} */
  #emptyTimer;
  /** @type {Promise<unknown>} the launch under way */
  #launching = Promise.resolve();
  #abort = new AbortController();
  #stopping = false;
  /** @type {{bytes: Uint8Array, tick: number} | undefined} */
  #goesOnFrom;
  #phase = -1;
  /** @type {End | undefined} */
  #end;

  /** @param {MatchOptions} options */
  constructor({ id, game, engine, options, owner, tokenHash, log, limits, direct }) {
    super();
    this.id = id;
    this.game = game;
    this.owner = owner;
    this.tokenHash = tokenHash;
    this.options = { seed: randomInt(2 ** 32), ...options };
    this.startedAt = Date.now();
    this.restarts = 0;
    this.log = log.child({ match: id, game: game.id });
    this.limits = { ...MATCH_LIMITS, ...limits };
    this.engine = engine;
    this.sizes = game.sizes(this.options);
    /** What it takes to play its last seconds again. */
    this.history = new History(this.sizes);
    this.seats = new Seats(
      Math.min(game.players.max, this.sizes.inputSlots),
      {
        read: (slot) => this.#mailbox?.readInput(slot) ?? ABSENT,
        write: (slot, word) => this.#mailbox?.writeInput(slot, word) ?? 0,
        replace: (slot, old, word) => this.#mailbox?.replaceInput(slot, old, word) ?? 0,
      },
      this.limits.absentAfterMs,
      {
        bind: (player, slot, generation) => {
          const mailbox = this.#mailbox;
          if (mailbox) direct?.bind(player, { match: this, mailbox, slot, generation });
        },
        unbind: (player) => direct?.unbind(player),
      },
    );
    this.on('slots', () => this.#noteCast());
    this.#noteCast();
  }

  /** How it ended, once it has. */
  get end() {
    return this.#end;
  }
  get running() {
    return this.#worker !== undefined;
  }
  get ticks() {
    return this.#mailbox?.tick ?? 0;
  }
  /** @returns {string} the name of its phase, or starting, restarting, ended */
  get phase() {
    if (this.#end) return 'ended';
    if (!this.#worker) return this.restarts > 0 ? 'restarting' : 'starting';
    return PHASE_NAMES[this.#phase] ?? 'starting';
  }
  /** @returns {Player[]} */
  get players() {
    return this.seats.players;
  }
  get open() {
    return !this.#end && !this.#stopping && this.seats.open;
  }
  /** The worker's process, 0 while there is none. */
  get pid() {
    return this.#worker?.pid ?? 0;
  }

  /**
   * Starts the match. The start of a saved match is tried again, like that of any worker after a failure.
   * @param {{bytes: Uint8Array, tick: number}} [checkpoint] of a saved match
   * @throws {PitvError} PITV_MATCH_OVER, or the engine's error when the first worker of a new match does not start
   */
  async start(checkpoint) {
    if (this.#end || this.#stopping) throw over();
    try {
      this.#goesOnFrom = checkpoint;
      if ('opened' in this.engine) await this.engine.opened;
      if (this.#end || this.#stopping) throw over();
      this.#mailbox = this.engine.createMailbox(this.sizes);
      if (checkpoint) this.#mailbox.putCheckpoint(checkpoint.bytes, checkpoint.tick);
      this.seats.tellAll();
      this.#launching = checkpoint ? this.#relaunch(0) : this.#launch();
      await this.#launching;
    } catch (error) {
      if (!this.#stopping) {
        this.log.error({ error: messageOf(error) }, 'the match did not start');
        this.#finish('failed');
      }
      throw error;
    }
    this.#watchEmpty();
  }

  async #launch() {
    const worker = await this.engine.start(this.game.url, {
      name: this.game.id,
      sizes: this.sizes,
      options: { ...this.options, match: this.id },
      mailbox: this.#mailbox,
      signal: this.#abort.signal,
    });
    this.#worker = worker;
    this.remember(); // its first checkpoint
    worker.on('exit', (exit) => this.#onExit(worker, exit));
    this.log.info({ pid: worker.pid, startup: worker.startup }, 'the match runs');
    this.emit('phase');
  }

  /**
   * @param {import('../engine/index.js').WorkerHandle} worker
   * @param {import('../engine/index.js').Exit} exit
   */
  #onExit(worker, exit) {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    if (this.#stopping || this.#end) return;
    if (exit.reason === 'done') this.#finish('done');
    else this.#fail(exit.reason, exit);
  }

  /** @param {string} reason @param {{error?: unknown, code?: unknown, signal?: unknown}} how */
  #fail(reason, { error, code, signal }) {
    const now = performance.now();
    const shortage = this.#isShortage(error, now);
    this.#failures = this.#failures.filter((at) => now - at < this.limits.failuresMs);
    if (!shortage) this.#failures.push(now);
    const last = this.#failures.length >= this.limits.failures;
    this.log.warn(
      { reason, error: error && messageOf(error), code, signal, failures: this.#failures.length },
      last
        ? 'the worker failed too often'
        : 'the worker failed; the match goes on from its checkpoint',
    );
    this.restarts++;
    this.emit('restart', { reason });
    if (last) return this.#finish('failed');
    this.#launching = this.#relaunch(shortage ? RETRY_MS : 0);
  }

  /**
   * Tells whether the machine is at fault and not the game. Such a failure is not counted, for a while.
   * @param {unknown} error @param {number} now
   */
  #isShortage(error, now) {
    if (!error || !SHORTAGE.test(messageOf(error))) return false;
    const { first, last } = this.#shortage;
    this.#shortage = { first: now - last < SHORTAGE_MS ? first : now, last: now };
    return now - this.#shortage.first < SHORTAGE_MS;
  }

  /** @param {number} waitMs */
  async #relaunch(waitMs) {
    if (waitMs > 0) await delay(waitMs);
    if (this.#stopping || this.#end) return;
    try {
      await this.#launch();
    } catch (error) {
      if (!this.#stopping && !SHORTAGE.test(messageOf(error))) await delay(RETRY_MS);
      if (!this.#stopping && !this.#end) this.#fail('crashed', { error });
    }
  }

  // Players.

  /**
   * @param {Player} player
   * @param {number} [wanted] slot
   * @throws {PitvError} PITV_MATCH_FULL, PITV_MATCH_OVER
   */
  join(player, wanted) {
    if (this.#end || this.#stopping) throw over();
    this.seats.take(player, wanted);
    player.match = this;
    player.lastGame = this.game.id;
    this.emit('slots');
    this.#watchEmpty();
  }

  /** @param {Player} player who leaves for good */
  leave(player) {
    if (!this.seats.leave(player)) return;
    player.match = undefined;
    this.emit('slots');
    if (this.players.length === 0) void this.stop('empty');
    else this.#watchEmpty();
  }

  /** @param {Player} player whose phone has gone, maybe for a moment */
  drop(player) {
    this.seats.drop(player);
    this.#watchEmpty();
  }

  /** @param {Player} player whose phone is back */
  comeBack(player) {
    this.seats.rest(player);
    this.#watchEmpty();
  }

  /** Ends the match when no phone has been there for a while. */
  #watchEmpty() {
    const people = this.game.players.max > 0;
    const there = this.players.some((player) => player.connected);
    if (!people || there || this.#end) {
      clearTimeout(this.#emptyTimer);
      this.#emptyTimer = undefined;
    } else if (!this.#emptyTimer) {
      this.#emptyTimer = setTimeout(() => void this.stop('empty'), this.limits.emptyMs);
      this.#emptyTimer.unref();
    }
  }

  // Frames.

  /**
   * The newest frame, if one came since the last call; valid until the next call. One caller only.
   * @returns {Uint8Array | undefined}
   */
  takeFrame() {
    const bytes = this.#mailbox?.takeFrame()?.bytes;
    if (!bytes) return undefined;
    const phase = readPhase(bytes);
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.emit('phase');
    }
    return bytes;
  }

  /** Takes what the worker has done since the last time into the history. */
  remember() {
    if (this.#mailbox) this.history.take(this.#mailbox);
  }

  /** Who sits where from now on. */
  #noteCast() {
    this.remember();
    const cast = this.seats.slots.map(({ slot, player }) => ({
      slot,
      name: player?.name ?? null,
      color: player?.color ?? null,
    }));
    this.history.noteCast(cast);
  }

  // The end.

  /**
   * Stops the worker and ends the match. Never hangs, may be called at any time.
   * @param {EndReason} [reason]
   */
  async stop(reason = 'stopped') {
    if (this.#end || this.#stopping) return;
    await this.#stopWorker();
    this.#finish(reason);
  }

  async #stopWorker() {
    this.#stopping = true;
    if (!this.#worker) this.#abort.abort(); // no grace for one that has not begun
    await this.#launching.catch(() => {});
    await this.#worker?.stop({ graceMs: this.limits.stopGraceMs });
    this.#worker = undefined;
  }

  /**
   * Stops the worker so that the match can go on later. The match itself is of no more use.
   * @returns {Promise<{saved: Saved, checkpoint: Buffer} | undefined>}
   */
  async suspend() {
    if (this.#end || this.#stopping) return undefined;
    await this.#stopWorker();
    const result = this.#saved(this.#mailbox ? this.#mailbox.checkpoint : this.#goesOnFrom);
    this.#close();
    return result;
  }

  /**
   * Its newest state, while it goes on.
   * @returns {{saved: Saved, checkpoint: Buffer} | undefined} undefined: there is none yet, or none any more
   */
  snapshot() {
    if (this.#end || this.#stopping) return undefined;
    return this.#saved(this.#mailbox?.copyCheckpoint());
  }

  /** @param {{bytes: Uint8Array, tick: number} | undefined} newest */
  #saved(newest) {
    return (
      newest && {
        saved: {
          id: this.id,
          game: this.game.id,
          hash: this.game.hash,
          options: this.options,
          owner: this.owner,
          tokenHash: this.tokenHash.toString('hex'),
          startedAt: this.startedAt,
          tick: newest.tick,
          seats: this.seats.slots.flatMap(({ slot, player }) =>
            player ? [{ slot, player: player.id }] : [],
          ),
        },
        checkpoint: Buffer.from(newest.bytes),
      }
    );
  }

  /** @param {EndReason} reason */
  #finish(reason) {
    if (this.#end) return;
    const last = this.#mailbox?.takeFrame() ?? this.#mailbox?.lastFrame;
    const results = resultsOf(last?.bytes, this.seats);
    this.#end = { reason, message: END_MESSAGES[reason], results };
    this.log.info({ reason, ticks: this.ticks, restarts: this.restarts }, 'the match has ended');
    const players = this.players;
    this.#close();
    for (const player of players) if (player.match === this) player.match = undefined;
    this.emit('ended', this.#end, players);
  }

  /** Lets go of memory and timers. */
  #close() {
    clearTimeout(this.#emptyTimer);
    this.seats.close();
    this.remember();
    const mailbox = this.#mailbox;
    this.#mailbox = undefined; // its memory may be unmapped from here on
    if (mailbox) this.engine.freeMailbox(mailbox);
  }
}

const over = () => new PitvError('PITV_MATCH_OVER', 'That match is over.');
