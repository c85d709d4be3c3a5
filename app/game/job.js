/** One match of a game: the flow of the match in its world, and the frames that show it. */
import { checkParts, checkValue, integer, shape } from '../options.js';
import { checkPart } from './check-game.js';
import { DecorWriter } from './decor-writer.js';
import { Flow, TICK_HZ, flowWords } from './flow.js';
import { frameLimitsOf } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import { NO_BODY, PLAYER_FLAG, TEAM_SHIFT } from './frame.js';
import { MAX_CAPACITY } from './layout.js';
import { hasWon } from './teams.js';
import { FIELDS, World } from './world.js';

/** Of the state. */
const WORDS = integer(0, 1 << 20);

/** @typedef {import('./define.js').GameSpec} GameSpec */

/**
 * Returns the options of the game's world.
 * @param {GameSpec} spec @param {Record<string, number>} options
 * @throws {import('../errors.js').PitvError} PITV_GAME_INVALID if the sizes that the game computes are wrong
 */
export function worldOptions(spec, options) {
  const { id, decor = 0, view, border = 'none' } = spec;
  const { cellSize, maxContacts } = FIELDS;
  const given = spec.world(options);
  const own = spec.state?.(options) ?? {};
  const stateWords = flowWords(spec.players.max, own, spec.teams?.length ?? 0);
  checkPart(() => {
    // With decor, the ids of all bodies fit into the 16 bits of a frame.
    const capacity = integer(1, MAX_CAPACITY - decor);
    checkParts(id, 'world()', shape({ capacity, cellSize, maxContacts }), given);
    for (const [name, count] of Object.entries(own)) {
      checkValue(id, `state().${name}`, WORDS, count);
    }
    checkValue(id, 'number of words of the state', WORDS, stateWords);
  });
  const { width, height } = view;
  return { maxContacts: 1024, ...given, width, height, border, stateWords };
}

/** One match of a game. Its whole state lies in the world's buffer. */
export class Job {
  #world;
  #flow;
  #spec;
  #writer;
  #decorWriter;
  #extra = new Float64Array(4);
  #head;

  /** @param {GameSpec} spec @param {Record<string, number>} options @param {number} seed @param {number} match */
  constructor(spec, options, seed, match) {
    this.#spec = spec;
    const world = worldOptions(spec, options);
    const decor = spec.decor ?? 0;
    this.#writer = new FrameWriter({ ...frameLimitsOf(spec), bodies: world.capacity + decor });
    this.#decorWriter = new DecorWriter(this.#writer, world.capacity, decor);
    this.#world = new World({ ...world, seed });
    this.#flow = new Flow(spec, this.#world, options);
    this.#flow.begin();
    this.#head = {
      match: match & 0xffff,
      tick: 0,
      phase: 0,
      round: 0,
      timer: 0,
      extra: this.#extra,
      players: spec.players.max + this.#flow.teams,
      events: 0,
    };
  }

  /** The match as the rules see it; for tests and pictures. */
  get flow() {
    return this.#flow;
  }
  /** A value that the last frame could not hold, as a sentence; each sort of value once. */
  takeWarning() {
    const fault = this.#writer.takeFault();
    return fault && `${this.#spec.id}, tick ${this.tick}: ${fault}`;
  }
  /** Number of ticks so far. */
  get tick() {
    return this.#flow.tick;
  }
  /** Number of bodies in the world. */
  get bodies() {
    return this.#world.count;
  }
  /** Number of contacts in the last tick. */
  get contacts() {
    return this.#world.contactCount;
  }
  /** Whether the match is over and the podium has been shown. */
  get done() {
    return this.#flow.done;
  }

  /**
   * Runs one tick of 1/60 s.
   * @param {(slot: number) => number} readWord returns a slot's input, an int32 (see input.js)
   * @param {(slot: number) => number} readSequence returns the input's sequence number, a uint32 that
   *   the frame repeats
   */
  step(readWord, readSequence) {
    this.#flow.step(readWord, readSequence);
  }

  /**
   * Writes the frame of the current tick.
   * @param {Uint8Array} target at least sizes().frameBytes long
   * @returns {number} length of the frame, bytes
   */
  writeFrame(target) {
    const flow = this.#flow;
    const world = this.#world;
    const writer = this.#writer;
    const head = this.#head;
    head.tick = flow.tick >>> 0;
    head.phase = flow.phase;
    head.round = flow.round;
    head.timer = Math.ceil((flow.ticksLeft * 10) / TICK_HZ);
    head.events = flow.events.length;
    this.#spec.fillExtra?.(flow, this.#extra);
    writer.attach(target);
    writer.begin(head);
    for (let slot = 0; slot < flow.slots; slot++) {
      const flags =
        (flow.human[slot] ? PLAYER_FLAG.present : 0) |
        (flow.alive[slot] ? PLAYER_FLAG.alive : 0) |
        (flow.bot[slot] ? PLAYER_FLAG.bot : 0) |
        (flow.winner[slot] ? PLAYER_FLAG.winner : 0) |
        (flow.teams > 0 ? (flow.team[slot] & 3) << TEAM_SHIFT : 0);
      const gauge = Math.round(flow.gauge[slot] * 255);
      writer.player(flow.sequence[slot], flow.score[slot], flags, gauge, flow.body[slot]);
    }
    for (let team = 0; team < flow.teams; team++) {
      const winner = hasWon(flow, team) ? PLAYER_FLAG.winner : 0;
      const flags = PLAYER_FLAG.team | (team << TEAM_SHIFT) | winner;
      writer.player(0, flow.teamScore[team], flags, 0, NO_BODY);
    }
    flow.events.write(writer);
    writer.limitBodies(this.#spec.decor ?? 0);
    this.#decorWriter.begin();
    this.#spec.decorate?.(flow, this.#decorWriter);
    writer.limitBodies(writer.bodies + world.capacity);
    const { shape, high } = world;
    for (let id = 0; id < high; id++) if (shape[id] !== 0) writer.bodyAt(id, world, id);
    return writer.end();
  }

  /**
   * Copies the state of the match.
   * @param {Uint8Array} target at least sizes().checkpointBytes long
   * @returns {number} length of the checkpoint, bytes
   * @throws {PitvError} PITV_CHECKPOINT_INVALID if the target is too small
   */
  checkpoint(target) {
    return this.#world.checkpoint(target);
  }

  /**
   * Restores the state of a job of the same game and options.
   * @param {Uint8Array} source a checkpoint
   * @throws {PitvError} PITV_CHECKPOINT_INVALID
   */
  restore(source) {
    this.#world.restore(source);
  }
}
