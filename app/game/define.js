/**
 * Makes a game from its rules: combines the simulation kernel, the flow of a match and the frame
 * writer. A game is pure and synchronous. Its caller passes input words, and reads frames and
 * checkpoints.
 */
import { anything, checkOptions, integer } from '../options.js';
import { checkGame, descriptionOf } from './check-game.js';
import { Job, worldOptions } from './job.js';
import { mailboxSizes } from './layout.js';
import { teamColor } from './team-colors.js';

export { Job } from './job.js';

/**
 * @typedef {import('./flow.js').Flow} Flow
 * @typedef {import('./decor-writer.js').DecorWriter} DecorWriter
 *
 * @typedef {object} View describes to a screen how to draw a game
 * @property {number} width world units
 * @property {number} height
 * @property {string} background colour as #rrggbb
 * @property {{name: string, look: string, color: string, glow?: boolean, picture?: string}[]} kinds
 *   indexed by a body's kind; the color 'owner' stands for the colour of the slot that owns the body. picture: path of
 *   a PNG or WebP file in the package, such as art/ball.png, that screens draw instead of the look
 * @property {{name: string, effect: string, sound: string, rumbleMs: number}[]} events sound: a name of SOUNDS
 *   (vocabulary.js), or the path of a WAV file in the package, such as sounds/kick.wav
 * @property {string[]} extra names of the header's four extra numbers
 * @property {string} [round] the word for a round, default 'Round'; '' for a game without rounds
 * @property {number} [rounds] how many rounds a match has at most; the screen shows it
 *
 * @typedef {{default: number, min: number, max: number}} Option a whole number
 *
 * @typedef {object} Texts the texts of a game in a language; see GameSpec
 * @property {string} title
 * @property {string} tagline
 * @property {string[]} rules
 * @property {{stick: string, a: string, b: string, out?: string}} controls
 * @property {string} [round] the word for a round
 * @property {string[]} [teams] names of the teams
 * @property {string[]} [records] names of the records
 *
 * @typedef {object} Team
 * @property {string} name at most 12 characters
 * @property {string} color a name of TEAM_COLORS (vocabulary.js), or a colour as #rrggbb whose contrast to
 *   view.background is at least 3
 *
 * @typedef {object} GameRecord a best that the TV remembers; see docs/games.md
 * @property {string} name at most 24 characters
 * @property {'score' | 'round' | 'extra' | 'time'} of the most points of a player; the highest round, or
 *   extra number, at the end, which all players share; or the fewest seconds of a round until an event of the player
 * @property {string} [from] name of the extra number or event, in view
 *
 * @typedef {object} GameSpec
 * @property {string} id that of the package, or the name of the file without .js
 * @property {string} title
 * @property {string} tagline
 * @property {string[]} rules short sentences, read from across a room
 * @property {{min: number, max: number}} players
 * @property {Team[]} [teams] two to four teams. Players and bots are assigned evenly; see Flow.team
 * @property {GameRecord[]} [records] one to three
 * @property {{stick?: string, a?: string, b?: string, out?: string}} controls what they do; a button without a name is
 *   not shown. out: what the stick does for a player who is out of the round
 * @property {View} view colours, sizes, kinds of bodies and events
 * @property {Record<string, Texts>} [translations] texts in other languages, by BCP 47 code
 * @property {Record<string, Option>} [options]
 * @property {{ready: number, roundOver: number, matchOver: number}} seconds lengths of the phases
 * @property {boolean} [castAlways] bots are assigned in every tick, first in place of players who leave, and the world
 *   runs during the countdown: players may join and leave at any time
 * @property {'none' | 'bounce'} [border]
 * @property {(options: Record<string, number>) => Record<string, number>} [state] number of
 *   words of each field of flow.own, by name; they lie in the world's buffer
 * @property {number} [decor] maximum number of bodies that decorate() draws
 * @property {(options: Record<string, number>) => {capacity: number, maxContacts?: number,
 *   cellSize?: number}} world size of the world for these options
 * @property {(humans: number) => number} [bots] returns the number of bots
 * @property {(flow: Flow) => void} setUpRound called before each round
 * @property {(flow: Flow) => void} [beginPlay] called when the countdown ends
 * @property {(flow: Flow) => void} steer called before each step of the world, in every phase except
 *   the countdown
 * @property {(flow: Flow) => void} settle called after each step of the world
 * @property {(flow: Flow, slot: number) => boolean} [wins] returns whether a slot has won;
 *   default: the highest score wins; with teams, the team with the highest team score
 * @property {(flow: Flow, extra: Float64Array) => void} [fillExtra] sets the header's extra numbers,
 *   0..65535
 * @property {(flow: Flow, writer: DecorWriter) => void} [decorate] draws decoration under the bodies, at most
 *   `decor` bodies
 *
 * @typedef {ReturnType<typeof defineGame>} Game
 */

/**
 * Creates a game. See docs/games.md.
 * @param {GameSpec} spec
 * @throws {import('../errors.js').PitvError} PITV_GAME_INVALID: its sentence names the wrong field
 */
export function defineGame(spec) {
  checkGame(spec);
  const { id, players, options = {} } = spec;
  const teams = spec.teams?.map(({ name, color }) => ({ name, color: teamColor(color) }));
  const fields = fieldsOf(options);
  return Object.freeze({
    ...descriptionOf(spec),
    ...(teams && { teams }),

    /**
     * Returns what the game declares for some options.
     * @param {Record<string, unknown>} [given] the game's options
     * @returns {import('./layout.js').Dimensions}
     * @throws {import('../errors.js').PitvError} PITV_OPTION_INVALID
     */
    dimensions(given = {}) {
      const { capacity, stateWords } = worldOptions(spec, checkOptions(id, fields, given));
      return { capacity, decor: spec.decor ?? 0, stateWords };
    },

    /**
     * Computes the sizes of the mailbox that a job needs.
     * @param {Record<string, unknown>} [given] the game's options
     * @returns {import('../engine/mailbox/mailbox.js').MailboxSizes}
     * @throws {import('../errors.js').PitvError} PITV_OPTION_INVALID
     */
    sizes(given = {}) {
      return mailboxSizes(this.dimensions(given), { players, teams });
    },

    /**
     * Describes the layout of a match's state. Where it and the options are the same, one version of a game can
     * continue from a checkpoint of another one.
     * @param {Record<string, unknown>} [given] the game's options
     * @throws {import('../errors.js').PitvError} PITV_OPTION_INVALID
     */
    layout(given = {}) {
      const checked = checkOptions(id, fields, given);
      const { capacity, width, height, border } = worldOptions(spec, checked);
      const slots = [players.max, teams?.length];
      return JSON.stringify([capacity, width, height, border, slots, spec.state?.(checked)]);
    },

    /**
     * Starts a match.
     * @param {Record<string, unknown>} [given] seed (uint32), match (u16, copied to each frame) and
     *   the game's options
     * @throws {import('../errors.js').PitvError} PITV_OPTION_INVALID
     */
    start(given = {}) {
      const { seed, match, ...own } = checkOptions(id, fields, given);
      return new Job(spec, own, toUint32(seed), toUint32(match));
    },

    rehearsalOptions,

    /** Runs the code of start() with an empty world, before a match is wanted. */
    prepare() {
      const empty = { ...spec, state: undefined, world: () => ({ capacity: 1 }), setUpRound() {} };
      new Job(empty, checkOptions(id, fields, {}), 0, 0).checkpoint(new Uint8Array(EMPTY_BYTES));
    },
  });
}

/** Room for the checkpoint of an empty world. */
const EMPTY_BYTES = 4096;

/** @param {unknown} value @returns {number} uint32, 0 if the value is not a number */
const toUint32 = (value) => Number(value) >>> 0;

/**
 * Lists the options of start(): the game's options, and the seed and number of the match, which accept
 * any value (see toUint32()).
 * @param {NonNullable<GameSpec['options']>} options
 */
function fieldsOf(options) {
  const own = Object.entries(options);
  const fields = own.map(([name, option]) => [
    name,
    integer(option.min, option.max, option.default),
  ]);
  return { ...Object.fromEntries(fields), seed: anything, match: anything };
}

/**
 * Returns the options of a rehearsal (engine/worker/rehearse.js). Their object shapes vary, as those of
 * real matches do, so that V8 does not optimise for a single shape.
 * @param {number} run index of the rehearsal, from 0
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
