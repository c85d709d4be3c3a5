/** The fields of a game, and what each of them may be; also for the table of texts in docs/games.md. */
import { hasHidden } from '../errors/visible-text.js';
import { boolean, integer, like, list, number, object, oneOf, synchronous } from '../options.js';
import {
  EFFECTS,
  LOOKS,
  MAX_PLAYERS,
  MAX_TEAMS,
  MIN_TEAMS,
  SOUNDS,
  TEAM_COLORS,
} from './vocabulary.js';

/**
 * @typedef {Record<string, Field>} Fields
 * @typedef {import('../options.js').Field & {inside?: Fields, each?: Fields}} Field inside: the fields of an object;
 *   each: those of each element of an array, or of each value of an object
 */

/** Characters of a text that can be read from a sofa. */
const MAX_TEXT = 70;
const MAX_RULES = 4;
export const MAX_NAME = 40;
/** Characters of a team's name beside its score. */
const MAX_TEAM_NAME = 12;
/** Characters of a record's name beside its value. */
const MAX_RECORD_NAME = 24;
const MAX_RECORDS = 3;
/** A saved match has room for more. */
const MAX_OPTIONS = 32;
const MAX_LANGUAGES = 64;
/** A frame has a byte for a body's kind and for an event's type. */
const MAX_KINDS = 256;
/** A frame has four extra numbers. */
const MAX_EXTRA = 4;
/** Positions in a frame reach to 2047. */
const MAX_VIEW = 2047;
const MAX_SECONDS = 600;
const MAX_RUMBLE_MS = 500;
/** A frame has 16 bits for the number of bodies. */
const MAX_DECOR = 65534;
export const ID = /^[a-z][a-z0-9-]*$/;

/** Describes a text of one line. @param {number} max UTF-16 code units @param {number} [min] @returns {Field} */
const words = (max, min = 0) => ({
  allowed: `a text of ${min} to ${max} characters, none of them a control, direction or invisible one`,
  accepts: (value) =>
    typeof value === 'string' && value.length >= min && value.length <= max && !hasHidden(value),
});
/** Makes a field optional. @param {Field} field @returns {Field} */
const maybe = (field) => ({
  ...field,
  accepts: (value) => value === undefined || field.accepts(value),
});
/** @param {Field} one @param {Field} other @returns {Field} */
const either = (one, other) => ({
  allowed: `${one.allowed}, or ${other.allowed}`,
  accepts: (value) => one.accepts(value) || other.accepts(value),
});
/** @param {number} min length @param {number} max length @param {Fields} each @returns {Field} */
const array = (min, max, each) => ({
  allowed: `an array of ${min} to ${max} elements`,
  accepts: (value) => Array.isArray(value) && value.length >= min && value.length <= max,
  each,
});
/** @param {Fields} inside @returns {Field} */
const shape = (inside) => ({ ...object(), inside });
/** @param {number} max number of values @param {Fields} each @returns {Field} */
const named = (max, each) => ({
  allowed: `an object of at most ${max} values, whose names have 1 to ${MAX_NAME} characters`,
  accepts: (value) =>
    object().accepts(value) && list(words(MAX_NAME, 1), 0, max).accepts(Object.keys(value)),
  each,
});

const COLOR = like('a colour as #rrggbb', /^#[0-9a-f]{6}$/i);
const HOOK = synchronous('a tick does not wait for a promise');

const MAX_ROUNDS = 99;
export const CONTROLS = {
  stick: maybe(words(MAX_TEXT)),
  a: maybe(words(MAX_TEXT)),
  b: maybe(words(MAX_TEXT)),
  out: maybe(words(MAX_TEXT)),
};
const TEXTS = {
  title: words(MAX_TEXT, 1),
  tagline: words(MAX_TEXT),
  rules: list(words(MAX_TEXT), 0, MAX_RULES),
  controls: shape(CONTROLS),
};
const TEAM_NAME = words(MAX_TEAM_NAME, 1);
const RECORD_NAME = words(MAX_RECORD_NAME, 1);
export const TRANSLATION = {
  ...TEXTS,
  round: maybe(words(MAX_NAME)),
  teams: maybe(list(TEAM_NAME, MIN_TEAMS, MAX_TEAMS)),
  records: maybe(list(RECORD_NAME, 1, MAX_RECORDS)),
};
export const RECORD = {
  name: RECORD_NAME,
  of: oneOf(['score', 'round', 'extra', 'time']),
  from: maybe(words(MAX_NAME, 1)),
};
const TEAM_COLOR_NAMES = Object.keys(TEAM_COLORS);
export const TEAM = {
  name: TEAM_NAME,
  color: like(
    `one of ${TEAM_COLOR_NAMES.join(', ')} or a colour as #rrggbb`,
    new RegExp(`^(${TEAM_COLOR_NAMES.join('|')}|#[0-9a-f]{6})$`, 'i'),
  ),
};
export const KIND = {
  name: words(MAX_NAME, 1),
  look: oneOf(LOOKS),
  color: like("'owner' or a colour as #rrggbb", /^(owner|#[0-9a-f]{6})$/i),
  glow: maybe(boolean()),
  picture: maybe(
    like('the path of a picture such as art/ball.png', /^art\/[\w-][\w.-]*\.(png|webp)$/),
  ),
};
export const EVENT = {
  name: words(MAX_NAME, 1),
  effect: oneOf(EFFECTS),
  sound: either(
    oneOf(SOUNDS),
    like('the path of a sound such as sounds/kick.wav', /^sounds\/[\w-][\w.-]*\.wav$/),
  ),
  rumbleMs: number(0, MAX_RUMBLE_MS),
};
export const VIEW = {
  width: number(1, MAX_VIEW),
  height: number(1, MAX_VIEW),
  background: COLOR,
  kinds: array(0, MAX_KINDS, KIND),
  events: array(0, MAX_KINDS, EVENT),
  extra: list(words(MAX_NAME), 0, MAX_EXTRA),
  round: maybe(words(MAX_NAME)),
  rounds: maybe(integer(1, MAX_ROUNDS)),
};
const WHOLE = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
const SECONDS = number(0, MAX_SECONDS);

/** What the TV has to know of a game. */
export const DESCRIPTION = {
  id: like('a plain name that matches [a-z][a-z0-9-]*', ID),
  ...TEXTS,
  players: shape({ min: integer(0, MAX_PLAYERS), max: integer(0, MAX_PLAYERS) }),
  view: shape(VIEW),
  options: maybe(named(MAX_OPTIONS, { default: WHOLE, min: WHOLE, max: WHOLE })),
  translations: maybe(named(MAX_LANGUAGES, TRANSLATION)),
  teams: maybe(array(MIN_TEAMS, MAX_TEAMS, TEAM)),
  records: maybe(array(1, MAX_RECORDS, RECORD)),
};
export const SPEC = {
  ...DESCRIPTION,
  seconds: shape({ ready: SECONDS, roundOver: SECONDS, matchOver: SECONDS }),
  castAlways: maybe(boolean()),
  border: maybe(oneOf(['none', 'bounce'])),
  decor: maybe(integer(0, MAX_DECOR)),
  world: HOOK,
  state: maybe(HOOK),
  bots: maybe(HOOK),
  setUpRound: HOOK,
  beginPlay: maybe(HOOK),
  steer: HOOK,
  settle: HOOK,
  wins: maybe(HOOK),
  fillExtra: maybe(HOOK),
  decorate: maybe(HOOK),
};
