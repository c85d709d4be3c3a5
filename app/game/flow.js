/**
 * The flow of a match, the same for every game: players, controls, the phases of a round, and events
 * for screens and pads. Its state lies in the world's buffer, so a checkpoint of the world is a
 * checkpoint of the match.
 *
 *   ready (countdown) -> play -> roundOver -> ready (next round) … -> matchOver (podium) -> done
 */
import { EventRing, RING_WORDS } from './event-ring.js';
import { NO_BODY, NO_OWNER, PHASE } from './frame.js';
import { BUTTON_A, BUTTON_B } from './input.js';
import { PadReader } from './pad-reader.js';

export const TICK_HZ = 60;
const HEAD = Object.freeze({
  tick: 0,
  phase: 1,
  phaseTicks: 2,
  round: 3,
  done: 4,
  ticksLeft: 5,
  lastRound: 6,
});
const HEAD_WORDS = 7;

/** One word a slot each. */
const SLOT_FIELDS = /** @type {const} */ ([
  'score',
  'body', // id of the slot's body, or NO_BODY
  'alive',
  'gauge', // 0..1
  'winner',
  'human', // a pad is there now
  'bot', // the game plays this slot itself
  'stickX', // -1..1, length at most 1
  'stickY',
  'held', // bit set of BUTTON_A, BUTTON_B
  'tapsA', // presses since the last tick
  'tapsB',
  'seenA', // the pad's press counters as they stood at the last tick
  'seenB',
  'sequence', // of the newest input read
]);

/**
 * @param {number} slots
 * @param {Record<string, number>} own words of the game's own, by name
 * @returns {number} Float64 words that a Flow keeps in the world's buffer
 */
export function flowWords(slots, own) {
  const ownWords = Object.values(own).reduce((sum, words) => sum + words, 0);
  return HEAD_WORDS + RING_WORDS + slots * SLOT_FIELDS.length + ownWords;
}

/**
 * @typedef {import('./define.js').GameSpec} GameSpec
 * @typedef {import('./world.js').World} World
 */

export class Flow {
  #pads = new PadReader();

  /**
   * @param {GameSpec} spec
   * @param {World} world with flowWords() words of state
   * @param {Record<string, number>} options checked ones
   */
  constructor(spec, world, options) {
    this.spec = spec;
    this.world = world;
    this.options = options;
    this.slots = spec.players.max;
    const state = world.gameState;
    let offset = 0;
    /** @param {number} words */
    const take = (words) => state.subarray(offset, (offset += words));
    this.head = take(HEAD_WORDS);
    this.events = new EventRing(take(RING_WORDS));
    const field = () => take(this.slots);
    this.score = field();
    this.body = field();
    this.alive = field();
    this.gauge = field();
    this.winner = field();
    this.human = field();
    this.bot = field();
    this.stickX = field();
    this.stickY = field();
    this.held = field();
    this.tapsA = field();
    this.tapsB = field();
    this.seenA = field();
    this.seenB = field();
    this.sequence = field();
    /** @type {Record<string, Float64Array>} the game's own words, by name */
    this.own = {};
    for (const [name, words] of Object.entries(spec.state?.(options) ?? {}))
      this.own[name] = take(words);
  }

  /** Sets a new match up; a restored checkpoint replaces all of it. */
  begin() {
    this.body.fill(NO_BODY);
    this.head[HEAD.round] = 1;
    this.#ready();
  }

  get tick() {
    return this.head[HEAD.tick];
  }
  /** One of PHASE. */
  get phase() {
    return this.head[HEAD.phase];
  }
  /** Ticks since the phase began. */
  get phaseTicks() {
    return this.head[HEAD.phaseTicks];
  }
  /** 1 in the first round. */
  get round() {
    return this.head[HEAD.round];
  }
  get done() {
    return this.head[HEAD.done] === 1;
  }
  get playing() {
    return this.head[HEAD.phase] === PHASE.play;
  }
  /** What a screen counts down; a game sets it while it plays. */
  get ticksLeft() {
    return this.head[HEAD.ticksLeft];
  }
  set ticksLeft(ticks) {
    this.head[HEAD.ticksLeft] = ticks;
  }

  /** @param {number} slot @returns {boolean} whether a human or a bot plays this slot */
  seated(slot) {
    return this.human[slot] === 1 || this.bot[slot] === 1;
  }

  get humans() {
    let count = 0;
    for (let slot = 0; slot < this.slots; slot++) count += this.human[slot];
    return count;
  }

  /**
   * Tells screens and pads that something happened. The pad of `owner` rumbles.
   * @param {number} type index into view.events
   * @param {number} owner slot, or NO_OWNER
   * @param {number} x world units @param {number} y world units
   */
  event(type, owner, x, y) {
    this.events.add(type, owner, x, y);
  }

  /** Ends the round. Its result is shown, then the next round starts, or with `last` the podium follows. */
  endRound(last = false) {
    if (!this.playing) return;
    this.head[HEAD.lastRound] = last ? 1 : 0;
    this.#enter(PHASE.roundOver);
  }

  /**
   * Steps the match by one tick.
   * @param {(slot: number) => number} readWord
   * @param {(slot: number) => number} readSequence
   */
  step(readWord, readSequence) {
    if (this.done) return;
    this.head[HEAD.tick]++;
    const changed = this.#pads.read(this, readWord, readSequence);
    if (this.spec.castAlways) this.#cast();
    else if (changed && this.phase === PHASE.ready) this.#ready(this.phaseTicks);
    this.#turn();
    if (this.phase === PHASE.ready && !this.spec.castAlways) return;
    this.spec.steer(this);
    this.world.step();
    this.spec.settle(this);
  }

  /** Enters the next phase when the time of the current one is over. */
  #turn() {
    const { head, spec } = this;
    const seconds = spec.seconds;
    const ticks = ++head[HEAD.phaseTicks];
    const phase = head[HEAD.phase];
    if (phase === PHASE.play) return;
    const length =
      TICK_HZ *
      (phase === PHASE.ready
        ? seconds.ready
        : phase === PHASE.roundOver
          ? seconds.roundOver
          : seconds.matchOver);
    head[HEAD.ticksLeft] = length - ticks > 0 ? length - ticks : 0;
    if (ticks < length) return;
    if (phase === PHASE.ready) {
      this.#enter(PHASE.play);
      spec.beginPlay?.(this);
    } else if (phase === PHASE.matchOver) {
      head[HEAD.done] = 1;
    } else if (head[HEAD.lastRound] === 1) {
      this.#markWinners();
      this.#enter(PHASE.matchOver);
    } else {
      head[HEAD.round]++;
      this.#ready();
    }
  }

  /** @param {number} phase */
  #enter(phase) {
    this.head[HEAD.phase] = phase;
    this.head[HEAD.phaseTicks] = 0;
    this.head[HEAD.ticksLeft] = 0;
  }

  /** @param {number} [ticksGone] ticks of the countdown that have passed */
  #ready(ticksGone = 0) {
    this.#enter(PHASE.ready);
    this.head[HEAD.phaseTicks] = ticksGone;
    this.#cast();
    this.spec.setUpRound(this);
  }

  /** Gives the lowest free slots to bots, as many as the game wants for these humans. */
  #cast() {
    let wanted = this.spec.bots?.(this.humans) ?? 0;
    for (let slot = 0; slot < this.slots; slot++) {
      const bot = this.human[slot] === 0 && wanted > 0;
      this.bot[slot] = bot ? 1 : 0;
      if (bot) wanted--;
    }
  }

  #markWinners() {
    const { spec, score, winner } = this;
    winner.fill(0);
    if (spec.wins) {
      for (let slot = 0; slot < this.slots; slot++) winner[slot] = spec.wins(this, slot) ? 1 : 0;
      return;
    }
    let best = -Infinity;
    for (let slot = 0; slot < this.slots; slot++) {
      if (this.seated(slot) && score[slot] > best) best = score[slot];
    }
    for (let slot = 0; slot < this.slots; slot++) {
      if (this.seated(slot) && score[slot] === best) winner[slot] = 1;
    }
  }

  /**
   * Sets the controls of a slot for this tick, as a pad would.
   * @param {number} slot @param {number} x stick, -1..1 @param {number} y stick, -1..1
   * @param {number} buttons bit set of BUTTON_A, BUTTON_B; a held button also counts as a tap in each tick
   */
  command(slot, x, y, buttons) {
    this.stickX[slot] = x;
    this.stickY[slot] = y;
    this.held[slot] = buttons;
    this.tapsA[slot] = buttons & BUTTON_A ? 1 : 0;
    this.tapsB[slot] = buttons & BUTTON_B ? 1 : 0;
  }
}

export { NO_BODY, NO_OWNER };
