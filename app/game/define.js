/**
 * Makes a game from its rules: joins the simulation kernel, the flow of a match and the frame.
 * A game is pure and synchronous. Its caller passes input words, and reads frames and checkpoints.
 */
import { PitvError } from '../errors.js';
import { anything, checkOptions, integer } from '../options.js';
import { EVENTS_KEPT } from './event-ring.js';
import { Flow, TICK_HZ, flowWords } from './flow.js';
import { FrameWriter, PLAYER_FLAG, frameBytes } from './frame.js';
import { stateBytes } from './layout.js';
import { World } from './world.js';

/** Ticks whose inputs the mailbox keeps for the replay log: 8.5 s. */
const INPUT_LOG_TICKS = 512;

/**
 * @typedef {object} View what a screen needs to draw a game
 * @property {number} width world units
 * @property {number} height
 * @property {string} background CSS colour
 * @property {{name: string, look: string, color: string, glow?: boolean}[]} kinds a body's kind is
 *   an index; color 'owner' is the colour of the slot that owns the body
 * @property {{name: string, effect: string, sound: string, rumbleMs: number}[]} events
 * @property {string[]} extra what the header's four extra numbers are
 * @property {string} [round] what a round is called; 'Round' when left out
 *
 * @typedef {{default: number, min: number, max: number}} Option a whole number
 *
 * @typedef {object} GameSpec
 * @property {string} id the name of the file
 * @property {string} title
 * @property {string} tagline
 * @property {string[]} rules short, read from a sofa
 * @property {{min: number, max: number}} players
 * @property {{stick: string, a: string, b: string}} controls
 * @property {View} view colours and sizes
 * @property {Record<string, Option>} [options]
 * @property {{ready: number, roundOver: number, matchOver: number}} seconds length of the phases
 * @property {boolean} [castAlways] players come and go at any time, and the world never stands still
 * @property {'none' | 'bounce'} [border]
 * @property {(options: Record<string, number>) => Record<string, number>} [state] the game's own
 *   words in the world's buffer, by name
 * @property {number} [decor] most bodies that decorate() draws
 * @property {(options: Record<string, number>) => {capacity: number, maxContacts?: number,
 *   cellSize?: number}} world how big a world these options need
 * @property {(humans: number) => number} [bots] number of bots for a number of humans
 * @property {(flow: Flow) => void} setUpRound
 * @property {(flow: Flow) => void} [beginPlay] called when the countdown is over
 * @property {(flow: Flow) => void} steer before each step of the world, in any phase but the countdown
 * @property {(flow: Flow) => void} settle after each step of the world
 * @property {(flow: Flow, slot: number) => boolean} [wins] default: the highest score wins
 * @property {(flow: Flow, extra: Uint16Array) => void} [fillExtra]
 * @property {(flow: Flow, writer: FrameWriter, firstId: number) => void} [decorate] draws decoration
 *   under the bodies
 *
 * @typedef {ReturnType<typeof defineGame>} Game
 */

/**
 * @param {GameSpec} spec
 * @throws {PitvError} PITV_GAME_INVALID
 */
export function defineGame(spec) {
  if (!/^[a-z][a-z0-9-]*$/.test(spec.id)) {
    throw new PitvError('PITV_GAME_INVALID', `"${spec.id}" is no name for a game.`);
  }
  const { id, title, tagline, rules, players, controls, view, options = {} } = spec;
  const fields = fieldsOf(options);
  return Object.freeze({
    id,
    title,
    tagline,
    rules,
    players,
    controls,
    view,
    options,

    /**
     * @param {Record<string, unknown>} [given]
     * @returns {import('../engine/mailbox/mailbox.js').MailboxSizes} of the mailbox that a job needs
     * @throws {PitvError} PITV_OPTION_INVALID
     */
    sizes(given = {}) {
      const world = worldOptions(spec, checkOptions(id, fields, given));
      return {
        inputSlots: players.max,
        frameBytes: frameBytes(world.capacity + (spec.decor ?? 0), players.max, EVENTS_KEPT),
        checkpointBytes: stateBytes(world),
        inputLogTicks: INPUT_LOG_TICKS,
      };
    },

    /**
     * @param {Record<string, unknown>} [given] seed (uint32), match (u16, told to the screens) and
     *   the game's own options
     * @throws {PitvError} PITV_OPTION_INVALID
     */
    start(given = {}) {
      const { seed, match, ...own } = checkOptions(id, fields, given);
      return new Job(spec, own, whole(seed), whole(match));
    },

    rehearsalOptions,
  });
}

/** @param {unknown} value @returns {number} uint32; 0 for what is no number */
const whole = (value) => Number(value) >>> 0;

/**
 * Lists what start() takes: the game's own options, and the seed and number of the match, which may be
 * anything (see whole()).
 * @param {NonNullable<GameSpec['options']>} options
 */
function fieldsOf(options) {
  const own = Object.entries(options).map(([name, { min, max, default: fallback }]) => [
    name,
    integer(min, max, fallback),
  ]);
  return { ...Object.fromEntries(own), seed: anything, match: anything };
}

/**
 * Gives the options of a rehearsal (engine/entry/rehearse.js). They come in several shapes, as those of
 * matches do, so that V8 does not expect a certain one.
 * @param {number} run which rehearsal, 0..
 * @returns {Record<string, number>}
 */
function rehearsalOptions(run) {
  const shapes = [
    { seed: run, match: run },
    { match: run, seed: run },
    { seed: run },
    { match: run },
    {},
  ];
  return /** @type {Record<string, number>[]} */ (shapes)[run % shapes.length];
}

/** @param {GameSpec} spec @param {Record<string, number>} options */
function worldOptions(spec, options) {
  return {
    maxContacts: 1024,
    ...spec.world(options),
    width: spec.view.width,
    height: spec.view.height,
    border: spec.border ?? 'none',
    stateWords: flowWords(spec.players.max, spec.state?.(options) ?? {}),
  };
}

/** One match of a game. Everything that changes lies in the world's buffer. */
export class Job {
  #world;
  #flow;
  #spec;
  #writer = new FrameWriter();
  #extra = new Uint16Array(4);
  #head;

  /**
   * @param {GameSpec} spec @param {Record<string, number>} options
   * @param {number} seed @param {number} match
   */
  constructor(spec, options, seed, match) {
    this.#spec = spec;
    this.#world = new World({ ...worldOptions(spec, options), seed });
    this.#flow = new Flow(spec, this.#world, options);
    this.#flow.begin();
    this.#head = {
      match: match & 0xffff,
      tick: 0,
      phase: 0,
      round: 0,
      timer: 0,
      extra: this.#extra,
      players: spec.players.max,
      events: 0,
    };
  }

  /** For tests and pictures: what the rules see. */
  get flow() {
    return this.#flow;
  }
  /** Ticks stepped. */
  get tick() {
    return this.#flow.tick;
  }
  /** The match is over and its podium was shown: there is nothing more to do. */
  get done() {
    return this.#flow.done;
  }

  /**
   * One tick, 1/60 s.
   * @param {(slot: number) => number} readWord int32, see input.js; any value is taken
   * @param {(slot: number) => number} readSequence uint32, echoed in the frame
   */
  step(readWord, readSequence) {
    this.#flow.step(readWord, readSequence);
  }

  /**
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
    head.timer = Math.min(0xffff, Math.ceil((flow.ticksLeft * 10) / TICK_HZ));
    head.events = flow.events.kept;
    this.#spec.fillExtra?.(flow, this.#extra);
    writer.attach(target);
    writer.begin(head);
    for (let slot = 0; slot < flow.slots; slot++) {
      const flags =
        (flow.human[slot] ? PLAYER_FLAG.present : 0) |
        (flow.alive[slot] ? PLAYER_FLAG.alive : 0) |
        (flow.bot[slot] ? PLAYER_FLAG.bot : 0) |
        (flow.winner[slot] ? PLAYER_FLAG.winner : 0);
      const gauge = Math.round(flow.gauge[slot] * 255);
      writer.player(flow.sequence[slot], flow.score[slot], flags, gauge, flow.body[slot]);
    }
    flow.events.write(writer);
    this.#spec.decorate?.(flow, writer, world.capacity);
    const { shape, x, y, a, b, kind, owner, angle, state, high } = world;
    for (let id = 0; id < high; id++) {
      if (shape[id] === 0) continue;
      writer.body(id, x[id], y[id], a[id], b[id], kind[id], owner[id], angle[id], state[id]);
    }
    return writer.end();
  }

  /**
   * @param {Uint8Array} target at least sizes().checkpointBytes long
   * @returns {number} length, bytes
   */
  checkpoint(target) {
    return this.#world.checkpoint(target);
  }

  /**
   * Goes on where a job of the same game and options was.
   * @param {Uint8Array} source
   * @throws {PitvError} PITV_CHECKPOINT_INVALID
   */
  restore(source) {
    this.#world.restore(source);
  }
}
