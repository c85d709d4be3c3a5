/**
 * Controls the flow of a match, the same for every game: players, controls, the phases of a round, and
 * events for screens and pads. Its state lies in the world's buffer, so a checkpoint of the world is
 * also a checkpoint of the match.
 *
 *   ready (countdown) -> play -> roundOver -> ready (next round) … -> matchOver (podium) -> done
 */
import { EventRing, RING_WORDS } from './event-ring.js';
import { NO_BODY, PHASE } from './frame.js';
import { BUTTON_A, BUTTON_B } from './input.js';
import { readPads } from './pad-reader.js';
import { NO_TEAM, assignTeams } from './teams.js';

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

/** Number of fields with one word for each slot: those that field() makes in the constructor. */
const SLOT_FIELDS = 16;

/**
 * Returns the size of a Flow's state in the world's buffer.
 * @param {number} slots
 * @param {Record<string, number>} own number of words of each field of the game
 * @param {number} teams
 * @returns {number} Float64 words
 */
export function flowWords(slots, own, teams) {
  const ownWords = Object.values(own).reduce((sum, words) => sum + words, 0);
  const teamWords = teams > 0 ? slots + teams : 0;
  return HEAD_WORDS + RING_WORDS + slots * SLOT_FIELDS + teamWords + ownWords;
}

/**
 * @typedef {import('./define.js').GameSpec} GameSpec
 * @typedef {import('./world.js').World} World
 */

export class Flow {
  /**
   * @param {GameSpec} spec
   * @param {World} world with flowWords() words of state
   * @param {Record<string, number>} options already checked
   */
  constructor(spec, world, options) {
    this.spec = spec;
    this.world = world;
    this.options = options;
    this.slots = spec.players.max;
    /** Number of teams, 0 in a game without teams. */
    this.teams = spec.teams?.length ?? 0;
    const state = world.gameState;
    let offset = 0;
    /** @param {number} words */
    const take = (words) => state.subarray(offset, (offset += words));
    this.head = take(HEAD_WORDS);
    this.events = new EventRing(take(RING_WORDS));
    const field = () => take(this.slots);
    this.score = field();
    this.body = field(); // id of the slot's body, or NO_BODY
    this.alive = field();
    this.gauge = field(); // 0..1
    this.winner = field();
    this.human = field(); // 1: a pad is present
    this.bot = field(); // 1: a bot plays this slot
    this.stickX = field(); // -1..1, length at most 1
    this.stickY = field();
    this.held = field(); // bit set of BUTTON_A, BUTTON_B
    this.tapsA = field(); // presses since the last tick
    this.tapsB = field();
    this.seenA = field(); // the pad's press counters at the last tick
    this.seenB = field();
    this.sequence = field(); // sequence number of the newest input
    /** By slot: ticks for which bots should not attack a person who has just joined. */
    this.learning = field();
    /** By slot: the index in GameSpec.teams, or NO_TEAM. */
    this.team = take(this.teams > 0 ? this.slots : 0);
    /** By team. */
    this.teamScore = take(this.teams);
    /** @type {Record<string, Float64Array>} the game's state, by the names in GameSpec.state */
    this.own = {};
    for (const [name, words] of Object.entries(spec.state?.(options) ?? {}))
      this.own[name] = take(words);
  }

  /** Starts a new match. Restoring a checkpoint replaces the whole state. */
  begin() {
    this.body.fill(NO_BODY);
    this.team.fill(NO_TEAM);
    this.head[HEAD.round] = 1;
    this.#startRound();
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
  /** The ticks that the screens count down. The game sets it during play. */
  get ticksLeft() {
    return this.head[HEAD.ticksLeft];
  }
  set ticksLeft(ticks) {
    this.head[HEAD.ticksLeft] = ticks;
  }

  /** Returns whether a human or a bot plays this slot. @param {number} slot */
  seated(slot) {
    return this.human[slot] === 1 || this.bot[slot] === 1;
  }

  /** Number of humans. */
  get humans() {
    let count = 0;
    for (let slot = 0; slot < this.slots; slot++) count += this.human[slot];
    return count;
  }

  /**
   * Sends an event to screens and pads. The pad of `owner` rumbles.
   * @param {number} type index into view.events @param {number} owner slot, or NO_OWNER
   * @param {number} x world units @param {number} y world units
   */
  event(type, owner, x, y) {
    this.events.add(type, owner, x, y);
  }

  /** Ends the round: its result is shown, then the next round starts or, if `last`, the podium. */
  endRound(last = false) {
    if (!this.playing) return;
    this.head[HEAD.lastRound] = last ? 1 : 0;
    this.#enterPhase(PHASE.roundOver);
  }

  /**
   * Steps the match by one tick.
   * @param {(slot: number) => number} readWord see Job.step() @param {(slot: number) => number} readSequence
   */
  step(readWord, readSequence) {
    if (this.done) return;
    this.head[HEAD.tick]++;
    const changed = readPads(this, readWord, readSequence);
    if (this.spec.castAlways) {
      this.#assignBots();
      this.#assignTeams(true);
    } else if (changed && this.phase === PHASE.ready) this.#startRound(this.phaseTicks);
    else if (changed) this.#assignTeams(false);
    this.#advancePhase();
    if (this.phase === PHASE.ready && !this.spec.castAlways) return;
    this.spec.steer(this);
    this.world.step();
    this.spec.settle(this);
  }

  /** Counts the ticks of the phase, and enters the next phase when its time is over. */
  #advancePhase() {
    const { head, spec } = this;
    const { ready, roundOver, matchOver } = spec.seconds;
    const ticks = ++head[HEAD.phaseTicks];
    const phase = head[HEAD.phase];
    if (phase === PHASE.play) return;
    const seconds = phase === PHASE.roundOver ? roundOver : matchOver;
    const length = TICK_HZ * (phase === PHASE.ready ? ready : seconds);
    head[HEAD.ticksLeft] = length - ticks > 0 ? length - ticks : 0;
    if (ticks < length) return;
    if (phase === PHASE.ready) {
      this.#enterPhase(PHASE.play);
      spec.beginPlay?.(this);
    } else if (phase === PHASE.matchOver) {
      head[HEAD.done] = 1;
    } else if (head[HEAD.lastRound] === 1) {
      this.#markWinners();
      this.#enterPhase(PHASE.matchOver);
    } else {
      head[HEAD.round]++;
      this.#startRound();
    }
  }

  /** @param {number} phase */
  #enterPhase(phase) {
    this.head[HEAD.phase] = phase;
    this.head[HEAD.phaseTicks] = 0;
    this.head[HEAD.ticksLeft] = 0;
  }

  /** Sets up a round and starts its countdown. @param {number} [ticksGone] elapsed ticks of the countdown */
  #startRound(ticksGone = 0) {
    this.#enterPhase(PHASE.ready);
    this.head[HEAD.phaseTicks] = ticksGone;
    this.#assignBots();
    this.#assignTeams(true, true);
    this.spec.setUpRound(this);
  }

  /**
   * Assigns free slots to bots, as many as the game wants for the number of humans: those that bots play already, also
   * in place of a human who has left, then the lowest ones.
   */
  #assignBots() {
    const { bot, human, slots } = this;
    let wanted = this.spec.bots?.(this.humans) ?? 0;
    for (let slot = 0; slot < slots; slot++) {
      bot[slot] = bot[slot] === 1 && wanted > 0 ? 1 : 0;
      wanted -= bot[slot];
    }
    for (let slot = 0; slot < slots && wanted > 0; slot++) {
      if (human[slot] === 1 || bot[slot] === 1) continue;
      bot[slot] = 1;
      wanted--;
    }
  }

  /** @param {boolean} bots whether bots may change their team @param {boolean} [people] whether people may */
  #assignTeams(bots, people = false) {
    if (this.teams > 0) assignTeams(this, { bots, people });
  }

  #markWinners() {
    let best = -Infinity;
    for (let slot = 0; slot < this.slots; slot++) best = Math.max(best, this.#decidingScore(slot));
    for (let slot = 0; slot < this.slots; slot++) {
      const isBest = this.seated(slot) && this.#decidingScore(slot) === best;
      const won = this.spec.wins ? this.spec.wins(this, slot) : isBest;
      this.winner[slot] = won ? 1 : 0;
    }
  }

  /** Returns the score of a player's team, or of the player in a game without teams. @param {number} slot */
  #decidingScore(slot) {
    if (!this.seated(slot)) return -Infinity;
    return this.teams > 0 ? this.teamScore[this.team[slot]] : this.score[slot];
  }

  /**
   * Sets the controls of a slot for this tick, as a pad does.
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
