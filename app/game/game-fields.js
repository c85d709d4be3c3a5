/** The fields of a game, and what each of them may be; also for the table of texts in docs/games.md. */
import { hasHidden } from '../errors/visible-text.js';
import {
  boolean,
  integer,
  like,
  list,
  number,
  object,
  oneOf,
  optional,
  shape,
  synchronous,
} from '../options.js';
import {
  EFFECTS,
  LOOKS,
  MAX_PLAYERS,
  MAX_TEAMS,
  MIN_TEAMS,
  SOUNDS,
  TEAM_COLORS,
} from './vocabulary.js';

/** @typedef {import('../options.js').Field} Field */

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
/** @param {number} max number of values @param {Field} element each value @returns {Field} */
const named = (max, element) => ({
  allowed: `an object of at most ${max} values, whose names have 1 to ${MAX_NAME} characters`,
  accepts: (value) =>
    object().accepts(value) && list(words(MAX_NAME, 1), 0, max).accepts(Object.keys(value)),
  element,
});

const HEX = '#[0-9a-fA-F]{6}';
const COLOR = like('a colour as #rrggbb', new RegExp(`^${HEX}$`));
const HOOK = synchronous('a tick does not wait for a promise');

const MAX_ROUNDS = 99;
const CONTROLS = {
  stick: optional(words(MAX_TEXT)),
  a: optional(words(MAX_TEXT)),
  b: optional(words(MAX_TEXT)),
  out: optional(words(MAX_TEXT)),
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
  round: optional(words(MAX_NAME)),
  teams: optional(list(TEAM_NAME, MIN_TEAMS, MAX_TEAMS)),
  records: optional(list(RECORD_NAME, 1, MAX_RECORDS)),
};
const RECORD = {
  name: RECORD_NAME,
  of: oneOf(['score', 'round', 'extra', 'time']),
  from: optional(words(MAX_NAME, 1)),
};
const TEAM_COLOR_NAMES = Object.keys(TEAM_COLORS);
const TEAM = {
  name: TEAM_NAME,
  color: like(
    `one of ${TEAM_COLOR_NAMES.join(', ')} or a colour as #rrggbb`,
    new RegExp(`^(${TEAM_COLOR_NAMES.join('|')}|${HEX})$`),
  ),
};
const KIND = {
  name: words(MAX_NAME, 1),
  look: oneOf(LOOKS),
  color: like("'owner' or a colour as #rrggbb", new RegExp(`^(owner|${HEX})$`)),
  glow: optional(boolean()),
  picture: optional(
    like('the path of a picture such as art/ball.png', /^art\/[\w-][\w.-]*\.(png|webp)$/),
  ),
};
const EVENT = {
  name: words(MAX_NAME, 1),
  effect: oneOf(EFFECTS),
  sound: like(
    `one of ${SOUNDS.join(', ')}, or the path of a sound such as sounds/kick.wav`,
    new RegExp(`^(${SOUNDS.join('|')}|sounds/[\\w-][\\w.-]*\\.wav)$`),
  ),
  rumbleMs: number(0, MAX_RUMBLE_MS),
};
const VIEW = {
  width: number(1, MAX_VIEW),
  height: number(1, MAX_VIEW),
  background: COLOR,
  kinds: list(shape(KIND), 0, MAX_KINDS),
  events: list(shape(EVENT), 0, MAX_KINDS),
  extra: list(words(MAX_NAME), 0, MAX_EXTRA),
  round: optional(words(MAX_NAME)),
  rounds: optional(integer(1, MAX_ROUNDS)),
};
const WHOLE = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
const SECONDS = number(0, MAX_SECONDS);

/** What the TV has to know of a game. */
export const DESCRIPTION = {
  id: like('a plain name that matches [a-z][a-z0-9-]*', ID),
  ...TEXTS,
  players: shape({ min: integer(0, MAX_PLAYERS), max: integer(0, MAX_PLAYERS) }),
  view: shape(VIEW),
  options: optional(named(MAX_OPTIONS, shape({ default: WHOLE, min: WHOLE, max: WHOLE }))),
  translations: optional(named(MAX_LANGUAGES, shape(TRANSLATION))),
  teams: optional(list(shape(TEAM), MIN_TEAMS, MAX_TEAMS)),
  records: optional(list(shape(RECORD), 1, MAX_RECORDS)),
};
export const SPEC = {
  ...DESCRIPTION,
  seconds: shape({ ready: SECONDS, roundOver: SECONDS, matchOver: SECONDS }),
  castAlways: optional(boolean()),
  border: optional(oneOf(['none', 'bounce'])),
  decor: optional(integer(0, MAX_DECOR)),
  world: HOOK,
  state: optional(HOOK),
  bots: optional(HOOK),
  setUpRound: HOOK,
  beginPlay: optional(HOOK),
  steer: HOOK,
  settle: HOOK,
  wins: optional(HOOK),
  fillExtra: optional(HOOK),
  decorate: optional(HOOK),
};
