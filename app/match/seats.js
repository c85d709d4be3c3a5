/** The seats of a match. The game reads one word of shared memory for each. */
import { PitvError } from '../errors.js';
import {
  ABSENT,
  packInput,
  PRESENT,
  pressesOf,
  unpackInput,
  withGeneration,
} from '../game/input.js';
import { PLAYER_COLORS } from './player-colors.js';

/** @typedef {import('./player.js').Player} Player */

/**
 * @typedef {object} Seat
 * @property {Player} player
 * @property {number} pressesA count of this slot, modulo 16; continues when the pad's own count restarts
 * @property {number} pressesB @property {NodeJS.Timeout | undefined} absentTimer
 *
 * @typedef {object} Slots access to the words that the game reads
 * @property {(slot: number) => number} read
 * @property {(slot: number, word: number) => number} write returns the input's sequence number, 0 without a game
 * @property {(slot: number, old: number, word: number) => number} replace the same, but returns -1 and writes
 *   nothing when the word is no longer `old`
 *
 * @typedef {object} SeatBinder binds seats to another writer of their words, such as a receiver of datagrams. It
 *   replaces only words of the generation that it was bound to
 * @property {(player: Player, slot: number, generation: number) => void} bind
 * @property {(player: Player) => void} unbind
 */

/** Attempts to replace a word before it is overwritten. */
const MAX_TRIES = 16;

/** @type {SeatBinder} */
const NO_BINDER = Object.freeze({ bind() {}, unbind() {} });

export class Seats {
  /** @type {(Seat | undefined)[]} */
  #seats;
  /** Generation of each slot's words. It changes when the input is reset or the seat changes hands. */
  #generations;

  /**
   * @param {number} count @param {Slots} slotWords
   * @param {number} absentAfterMs time until a disconnected player is absent for the game
   * @param {SeatBinder} [binder]
   */
  constructor(count, slotWords, absentAfterMs, binder = NO_BINDER) {
    this.#seats = new Array(count).fill(undefined);
    this.#generations = new Uint8Array(count);
    this.slotWords = slotWords;
    this.absentAfterMs = absentAfterMs;
    this.binder = binder;
  }

  /** @returns {{slot: number, player: Player | undefined}[]} */
  get slots() {
    return this.#seats.map((seat, slot) => ({ slot, player: seat?.player }));
  }
  /** Names and colours by slot. */
  get roster() {
    return this.slots.map(({ slot, player }) => {
      return { slot, name: player?.name ?? null, color: player?.color ?? null };
    });
  }
  /** @returns {Player[]} */
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
    const word = this.slotWords.read(slot);
    if (word & PRESENT) return pressesOf(word);
    const { pressesA = 0, pressesB = 0 } = this.#seats[slot] ?? {};
    return [pressesA, pressesB];
  }

  /** Sets the presses so far, before words are written. @param {number} slot @param {[number, number]} presses */
  setPresses(slot, [pressesA, pressesB]) {
    const seat = this.#seats[slot];
    if (seat) Object.assign(seat, { pressesA, pressesB });
  }

  /** @param {Player} player @returns {number} slot, -1 without a seat */
  slotOf(player) {
    return this.#seats.findIndex((seat) => seat?.player === player);
  }

  /**
   * Gives a player a seat.
   * @param {Player} player
   * @param {number} [wanted] slot; by default the one of the player's colour. When it is taken, the first free one
   * @param {[number, number]} [presses] presses of A and B so far, which do not count again in a match that is resumed
   * @returns {number} slot @throws {PitvError} PITV_MATCH_FULL
   */
  sit(player, wanted = PLAYER_COLORS.indexOf(player.color), [pressesA, pressesB] = [0, 0]) {
    const free = wanted >= 0 && wanted < this.#seats.length && !this.#seats[wanted];
    const slot = free ? wanted : this.#seats.indexOf(undefined);
    if (slot < 0) throw new PitvError('PITV_MATCH_FULL', 'All seats of this match are taken.');
    this.#seats[slot] = { player, pressesA, pressesB, absentTimer: undefined };
    this.#publish(player);
    return slot;
  }

  /** Frees a player's seat. @param {Player} player @returns {boolean} whether the player had one */
  leave(player) {
    const slot = this.slotOf(player);
    if (slot < 0) return false;
    clearTimeout(this.#seats[slot]?.absentTimer);
    this.#seats[slot] = undefined;
    this.binder.unbind(player);
    this.slotWords.write(slot, ABSENT);
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
    this.binder.bind(player, slot, this.#generations[slot] & 15);
  }

  /** Resets the input of a disconnected player, who is absent after `absentAfterMs`. @param {Player} player */
  disconnect(player) {
    const slot = this.slotOf(player);
    const seat = this.#seats[slot];
    if (!seat) return;
    this.resetInput(player);
    seat.absentTimer = setTimeout(() => this.slotWords.write(slot, ABSENT), this.absentAfterMs);
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
    for (let tries = 0; ; tries++) {
      const old = this.slotWords.read(slot);
      if (old & PRESENT) ({ pressesA: seat.pressesA, pressesB: seat.pressesB } = unpackInput(old));
      seat.pressesA = (seat.pressesA + tapsA) & 15;
      seat.pressesB = (seat.pressesB + tapsB) & 15;
      const word = packInput(x, y, buttons, seat.pressesA, seat.pressesB);
      const next = withGeneration(word, this.#generations[slot]);
      // Receivers write rarely, but a broken worker may change the word all the time.
      if (tries === MAX_TRIES) return this.slotWords.write(slot, next);
      const sequence = this.slotWords.replace(slot, old, next);
      if (sequence >= 0) return sequence;
    }
  }

  close() {
    for (const seat of this.#seats) {
      clearTimeout(seat?.absentTimer);
      if (seat) this.binder.unbind(seat.player);
    }
  }
}
