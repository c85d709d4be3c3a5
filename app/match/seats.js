/** The seats of a match. The game reads one word of shared memory for each. */
import { PitvError } from '../errors.js';
import {
  ABSENT,
  packInput,
  PRESENT,
  pressesOf,
  withGeneration,
  withPresses,
} from '../game/input.js';
import { PLAYER_COLORS } from './player-colors.js';

/**
 * @typedef {object} Player a player, as a match sees it
 * @property {number} id @property {string} name @property {string} color @property {boolean} connected
 * @property {import('./match.js').Match | undefined} match
 * @property {string | undefined} lastGame the game of the last match
 * @property {Buffer} tokenHash
 * @property {string | undefined} client key of the address from which the player joined; undefined
 *   after a restart of the TV
 * @property {NodeJS.Timeout | undefined} graceTimer
 * @property {string} [home] node of a fleet at which the player was connected last; undefined: this one
 *
 * @typedef {object} Seat
 * @property {Player} player
 * @property {[number, number]} presses of A and B, modulo 16; the count continues when that of the pad restarts
 * @property {NodeJS.Timeout | undefined} absentTimer
 *
 * @typedef {object} InputSink writes players' inputs into the mailbox without the main thread, for example from
 *   datagrams. It replaces only words of the generation that it was bound to
 * @property {(player: Player, binding: Binding) => void} bind
 * @property {(player: Player) => void} unbind the mailbox is not used after this call
 *
 * @typedef {object} Binding
 * @property {import('./match.js').Match} match
 * @property {import('../engine/mailbox/mailbox.js').Mailbox} mailbox
 * @property {number} slot @property {number} generation 0..15
 */

/** Attempts to replace a word before it is overwritten. */
const MAX_TRIES = 16;

export class Seats {
  /** @type {(Seat | undefined)[]} */
  #seats;
  /** Generation of each slot's words. It changes when the input is reset or the seat changes hands. */
  #generations;

  /**
   * @param {number} count @param {Pick<import('./resilient-worker.js').MatchWorker, 'mailbox'>} worker of the game
   * @param {number} absentAfterMs time until a disconnected player is absent for the game
   * @param {{match: import('./match.js').Match, inputSink?: InputSink}} [binding]
   */
  constructor(count, worker, absentAfterMs, binding) {
    this.#seats = new Array(count).fill(undefined);
    this.#generations = new Uint8Array(count);
    this.worker = worker;
    this.absentAfterMs = absentAfterMs;
    this.binding = binding;
  }

  /** Returns the word that the game reads. @param {number} slot @returns {number} ABSENT without a game */
  wordAt(slot) {
    return this.worker.mailbox?.readInput(slot) ?? ABSENT;
  }

  get slots() {
    return this.#seats.map((seat, slot) => ({ slot, player: seat?.player }));
  }
  /** Names and colours by slot. */
  get roster() {
    return this.slots.map(({ slot, player }) => {
      return { slot, name: player?.name ?? null, color: player?.color ?? null };
    });
  }
  get players() {
    return this.#seats.flatMap((seat) => (seat ? [seat.player] : []));
  }
  /** Whether a seat is free. */
  get open() {
    return this.#seats.includes(undefined);
  }

  /** @param {number} slot @returns {Player | undefined} */
  playerAt(slot) {
    return this.#seats[slot]?.player;
  }

  /** Returns the presses of A and B so far, modulo 16. @param {number} slot @returns {[number, number]} */
  pressesAt(slot) {
    const word = this.wordAt(slot);
    return word & PRESENT ? pressesOf(word) : (this.#seats[slot]?.presses ?? [0, 0]);
  }

  /** Sets the presses so far, before words are written. @param {number} slot @param {[number, number]} presses */
  setPresses(slot, presses) {
    const seat = this.#seats[slot];
    if (seat) seat.presses = presses;
  }

  /** @param {Player} player @returns {number} slot, -1 without a seat */
  slotOf(player) {
    return this.#seats.findIndex((seat) => seat?.player === player);
  }

  /**
   * Gives a player a seat, and another colour if somebody in this match has the player's own.
   * @param {Player} player
   * @param {number} [wanted] slot; by default the one of the player's colour. When it is taken, the first free one
   * @param {[number, number]} [presses] presses of A and B so far, which do not count again in a match that is resumed;
   *   by default those in the slot's word
   * @returns {number} slot @throws {PitvError} PITV_MATCH_FULL
   */
  sit(player, wanted = PLAYER_COLORS.indexOf(player.color), presses) {
    const free = wanted >= 0 && wanted < this.#seats.length && !this.#seats[wanted];
    const slot = free ? wanted : this.#seats.indexOf(undefined);
    if (slot < 0) throw new PitvError('PITV_MATCH_FULL', 'All seats of this match are taken.');
    const taken = this.#seats.map((seat) => seat?.player.color);
    if (taken.includes(player.color)) {
      player.color = PLAYER_COLORS.find((color) => !taken.includes(color)) ?? player.color;
    }
    const counted = presses ?? pressesOf(this.wordAt(slot));
    this.#seats[slot] = { player, presses: counted, absentTimer: undefined };
    this.#publish(player);
    return slot;
  }

  /** Frees a player's seat. @param {Player} player @returns {boolean} whether the player had one */
  leave(player) {
    const slot = this.slotOf(player);
    if (slot < 0) return false;
    clearTimeout(this.#seats[slot]?.absentTimer);
    this.binding?.inputSink?.unbind(player);
    this.#setAbsent(slot);
    this.#seats[slot] = undefined;
    return true;
  }

  /** Marks a player as present, with neutral input. @param {Player} player */
  resetInput(player) {
    const slot = this.slotOf(player);
    const seat = this.#seats[slot];
    if (!seat) return;
    clearTimeout(seat.absentTimer);
    this.#generations[slot]++;
    this.#put(slot, seat, 0, 0, 0, 0, 0);
    const { mailbox } = this.worker;
    if (!mailbox || !this.binding) return;
    const { match, inputSink } = this.binding;
    const generation = this.#generations[slot] & 15;
    inputSink?.bind(player, { match, mailbox, slot, generation });
  }

  /** Keeps the presses: the next player may sit here before the game sees that this one left. @param {number} slot */
  #setAbsent(slot) {
    this.worker.mailbox?.writeInput(slot, withPresses(ABSENT, this.pressesAt(slot)));
  }

  /** Resets the input of a disconnected player, who is absent after `absentAfterMs`. @param {Player} player */
  disconnect(player) {
    const slot = this.slotOf(player);
    const seat = this.#seats[slot];
    if (!seat) return;
    this.resetInput(player);
    seat.absentTimer = setTimeout(() => this.#setAbsent(slot), this.absentAfterMs);
    seat.absentTimer.unref();
  }

  /** Writes the words of all seats for a new worker. */
  publishAll() {
    for (const player of this.players) this.#publish(player);
  }

  /** @param {Player} player */
  #publish(player) {
    if (player.connected) this.resetInput(player);
    else this.disconnect(player);
  }

  /**
   * Writes the input of a pad. This is the hot path.
   * @param {number} slot @param {number} x integer -127..127 @param {number} y integer -127..127
   * @param {number} buttons bit set of the held buttons
   * @param {number} tapsA presses of A since the last call @param {number} tapsB presses of B
   * @returns {number} the input's sequence number, which frames echo; 0 without a game
   */
  input(slot, x, y, buttons, tapsA, tapsB) {
    const seat = this.#seats[slot];
    return seat ? this.#put(slot, seat, x, y, buttons, tapsA, tapsB) : 0;
  }

  /**
   * Adds presses to those in the slot's word, because a receiver of datagrams may have counted there.
   * @param {number} slot @param {Seat} seat @param {number} x @param {number} y @param {number} buttons
   * @param {number} tapsA @param {number} tapsB
   */
  #put(slot, seat, x, y, buttons, tapsA, tapsB) {
    const { mailbox } = this.worker;
    for (let tries = 0; ; tries++) {
      const old = this.wordAt(slot);
      const [a, b] = old & PRESENT ? pressesOf(old) : seat.presses;
      seat.presses = [(a + tapsA) & 15, (b + tapsB) & 15];
      const word = packInput(x, y, buttons, ...seat.presses);
      const next = withGeneration(word, this.#generations[slot]);
      // Receivers write rarely, but a broken worker may change the word all the time.
      if (tries === MAX_TRIES) return mailbox?.writeInput(slot, next) ?? 0;
      const sequence = mailbox?.replaceInput(slot, old, next) ?? 0;
      if (sequence >= 0) return sequence;
    }
  }

  close() {
    for (const seat of this.#seats) {
      clearTimeout(seat?.absentTimer);
      if (seat) this.binding?.inputSink?.unbind(seat.player);
    }
  }
}
