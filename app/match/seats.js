/**
 * Who sits where in a match, and what the game is told of each seat: one word of shared memory.
 */
import { PitvError } from '../errors.js';
import { ABSENT, PRESENT, packInput, unpackInput, withGeneration } from '../game/input.js';
import { PLAYER_COLORS } from './player.js';

/** @typedef {import('./player.js').Player} Player */

/**
 * @typedef {object} Seat
 * @property {Player} player
 * @property {number} pressesA of this slot so far, modulo 16; goes on when the pad's own count restarts
 * @property {number} pressesB
 * @property {NodeJS.Timeout | undefined} absentTimer
 *
 * @typedef {object} Slots the words that the game reads
 * @property {(slot: number) => number} read
 * @property {(slot: number, word: number) => number} write gives the input's sequence number, 0 while
 *   there is no game to tell
 * @property {(slot: number, old: number, word: number) => number} replace the same, but -1 and nothing
 *   written when the word is not `old` any more
 *
 * @typedef {object} Direct who else may write a player's words: a receiver of datagrams. It only replaces
 *   words of the generation it was told
 * @property {(player: Player, slot: number, generation: number) => void} bind
 * @property {(player: Player) => void} unbind
 */

/** How often a word is tried to be replaced. */
const TRIES = 16;

/** @type {Direct} */
const NOBODY = Object.freeze({ bind() {}, unbind() {} });

export class Seats {
  /** @type {(Seat | undefined)[]} */
  #seats;
  /** Of each slot's words; another one whenever the slot changes hands. */
  #generations;

  /**
   * @param {number} count
   * @param {Slots} words
   * @param {number} absentAfterMs a dropped player's ball stands still for so long, then the game may
   *   do what it likes with it
   * @param {Direct} [direct]
   */
  constructor(count, words, absentAfterMs, direct = NOBODY) {
    this.#seats = new Array(count).fill(undefined);
    this.#generations = new Uint8Array(count);
    this.words = words;
    this.absentAfterMs = absentAfterMs;
    this.direct = direct;
  }

  /** @returns {{slot: number, player: Player | undefined}[]} */
  get slots() {
    return this.#seats.map((seat, slot) => ({ slot, player: seat?.player }));
  }
  /** @returns {Player[]} */
  get players() {
    return this.#seats.flatMap((seat) => (seat ? [seat.player] : []));
  }
  /** Is there a free one? */
  get open() {
    return this.#seats.includes(undefined);
  }

  /** @param {number} slot @returns {Player | undefined} */
  playerAt(slot) {
    return this.#seats[slot]?.player;
  }

  /** @param {Player} player @returns {number} slot, -1 when not in */
  slotOf(player) {
    return this.#seats.findIndex((seat) => seat?.player === player);
  }

  /**
   * @param {Player} player
   * @param {number} [wanted] slot; without it the one of the player's colour, if that is free
   * @returns {number} slot
   * @throws {PitvError} PITV_MATCH_FULL
   */
  take(player, wanted = PLAYER_COLORS.indexOf(player.color)) {
    const free = wanted >= 0 && wanted < this.#seats.length && !this.#seats[wanted];
    const slot = free ? wanted : this.#seats.indexOf(undefined);
    if (slot < 0) throw new PitvError('PITV_MATCH_FULL', 'All places in this match are taken.');
    this.#seats[slot] = { player, pressesA: 0, pressesB: 0, absentTimer: undefined };
    if (player.connected) this.rest(player);
    else this.drop(player);
    return slot;
  }

  /** @param {Player} player @returns {boolean} whether there was such a player */
  leave(player) {
    const slot = this.slotOf(player);
    if (slot < 0) return false;
    clearTimeout(this.#seats[slot]?.absentTimer);
    this.#seats[slot] = undefined;
    this.direct.unbind(player);
    this.words.write(slot, ABSENT);
    return true;
  }

  /** @param {Player} player who is there, but touches nothing */
  rest(player) {
    const slot = this.slotOf(player);
    const seat = this.#seats[slot];
    if (!seat) return;
    clearTimeout(seat.absentTimer);
    this.#generations[slot]++;
    this.#put(slot, seat, 0, 0, 0, 0, 0);
    this.direct.bind(player, slot, this.#generations[slot] & 15);
  }

  /** @param {Player} player whose phone has gone, maybe for a moment */
  drop(player) {
    const slot = this.slotOf(player);
    const seat = this.#seats[slot];
    if (!seat) return;
    this.rest(player);
    seat.absentTimer = setTimeout(() => this.words.write(slot, ABSENT), this.absentAfterMs);
    seat.absentTimer.unref();
  }

  /** Tells a game that begins who is there. */
  tellAll() {
    for (const player of this.players) {
      if (player.connected) this.rest(player);
      else this.drop(player);
    }
  }

  /**
   * What a pad says now. The hot path.
   * @param {number} slot
   * @param {number} x integer -127..127 @param {number} y integer -127..127
   * @param {number} buttons bit set held
   * @param {number} tapsA presses of A since the last call @param {number} tapsB the same of B
   * @returns {number} the input's sequence number, which a frame echoes; 0 when there is no game
   */
  input(slot, x, y, buttons, tapsA, tapsB) {
    const seat = this.#seats[slot];
    return seat ? this.#put(slot, seat, x, y, buttons, tapsA, tapsB) : 0;
  }

  /**
   * The slot's word says how often was pressed so far, for a receiver may have counted on there.
   * @param {number} slot @param {Seat} seat
   * @param {number} x @param {number} y @param {number} buttons
   * @param {number} tapsA @param {number} tapsB
   */
  #put(slot, seat, x, y, buttons, tapsA, tapsB) {
    for (let tries = 0; ; tries++) {
      const old = this.words.read(slot);
      if (old & PRESENT) ({ pressesA: seat.pressesA, pressesB: seat.pressesB } = unpackInput(old));
      seat.pressesA = (seat.pressesA + tapsA) & 15;
      seat.pressesB = (seat.pressesB + tapsB) & 15;
      const word = packInput(x, y, buttons, seat.pressesA, seat.pressesB);
      const next = withGeneration(word, this.#generations[slot]);
      // Receivers write rarely; a broken worker may scribble here without end.
      if (tries === TRIES) return this.words.write(slot, next);
      const sequence = this.words.replace(slot, old, next);
      if (sequence >= 0) return sequence;
    }
  }

  close() {
    for (const seat of this.#seats) {
      clearTimeout(seat?.absentTimer);
      if (seat) this.direct.unbind(seat.player);
    }
  }
}
