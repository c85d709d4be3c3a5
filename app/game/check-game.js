/**
 * Checks what a game gives to defineGame(). A wrong field is an error whose sentence names the field, such as
 * "pong: view.kinds[2].look must be one of ball, orb, ..., not "bal"."
 */
import { PitvError, messageOf } from '../errors.js';
import { boolean, checkValue, integer, list, object, synchronous } from '../options.js';
import { findTeamProblem } from './team-colors.js';
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
/** @typedef {Record<string, Field>} Fields */

/** Characters of a text that can be read from a sofa. */
const MAX_TEXT = 70;
const MAX_RULES = 4;
const MAX_NAME = 40;
/** Characters of a team's name beside its score. */
const MAX_TEAM_NAME = 12;
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
const ID = /^[a-z][a-z0-9-]*$/;
/** The options that each start of a match has. */
const RESERVED_OPTIONS = ['seed', 'match'];

/** @param {string} allowed @param {RegExp} pattern @returns {Field} */
const like = (allowed, pattern) => ({
  allowed,
  accepts: (value) => typeof value === 'string' && pattern.test(value),
});
/** @param {number} max characters @param {number} [min] @returns {Field} */
const words = (max, min = 0) => ({
  allowed: `a text of ${min} to ${max} characters`,
  accepts: (value) => typeof value === 'string' && value.length >= min && value.length <= max,
});
/** @param {number} min @param {number} max @returns {Field} */
const number = (min, max) => ({
  allowed: `a number from ${min} to ${max}`,
  accepts: (value) => typeof value === 'number' && value >= min && value <= max,
});
/** @param {readonly string[]} names @returns {Field} */
const oneOf = (names) => ({
  allowed: `one of ${names.join(', ')}`,
  accepts: (value) => names.includes(value),
});
/** Makes a field optional. @param {Field} field @returns {Field} */
const maybe = (field) => ({
  allowed: field.allowed,
  accepts: (value) => value === undefined || field.accepts(value),
});
/** @param {Field} one @param {Field} other @returns {Field} */
const either = (one, other) => ({
  allowed: `${one.allowed}, or ${other.allowed}`,
  accepts: (value) => one.accepts(value) || other.accepts(value),
});
/** @param {number} min length @param {number} max length @returns {Field} */
const array = (min, max) => ({
  allowed: `an array of ${min} to ${max} elements`,
  accepts: (value) => Array.isArray(value) && value.length >= min && value.length <= max,
});

const COLOR = like('a colour as #rrggbb', /^#[0-9a-f]{6}$/i);
const HOOK = synchronous('a tick does not wait for a promise');

const MAX_ROUNDS = 99;
const TEXTS = {
  title: words(MAX_TEXT, 1),
  tagline: words(MAX_TEXT),
  rules: list(words(MAX_TEXT), 0, MAX_RULES),
  controls: object(),
};
const TEAM_NAME = words(MAX_TEAM_NAME, 1);
const TRANSLATION = {
  ...TEXTS,
  round: maybe(words(MAX_NAME)),
  teams: maybe(list(TEAM_NAME, MIN_TEAMS, MAX_TEAMS)),
};
const TEAM_COLOR_NAMES = Object.keys(TEAM_COLORS);
const TEAM = {
  name: TEAM_NAME,
  color: like(
    `one of ${TEAM_COLOR_NAMES.join(', ')} or a colour as #rrggbb`,
    new RegExp(`^(${TEAM_COLOR_NAMES.join('|')}|#[0-9a-f]{6})$`, 'i'),
  ),
};
const CONTROLS = {
  stick: maybe(words(MAX_TEXT)),
  a: maybe(words(MAX_TEXT)),
  b: maybe(words(MAX_TEXT)),
};
const PLAYERS = { min: integer(0, MAX_PLAYERS), max: integer(0, MAX_PLAYERS) };
const VIEW = {
  width: number(1, MAX_VIEW),
  height: number(1, MAX_VIEW),
  background: COLOR,
  kinds: array(0, MAX_KINDS),
  events: array(0, MAX_KINDS),
  extra: list(words(MAX_NAME), 0, MAX_EXTRA),
  round: maybe(words(MAX_NAME)),
  rounds: maybe(integer(1, MAX_ROUNDS)),
};
const KIND = {
  name: words(MAX_NAME, 1),
  look: oneOf(LOOKS),
  color: like("'owner' or a colour as #rrggbb", /^(owner|#[0-9a-f]{6})$/i),
  glow: maybe(boolean()),
  picture: maybe(
    like('the path of a picture such as art/ball.png', /^art\/[\w-][\w.-]*\.(png|webp)$/),
  ),
};
const EVENT = {
  name: words(MAX_NAME, 1),
  effect: oneOf(EFFECTS),
  sound: either(
    oneOf(SOUNDS),
    like('the path of a sound such as sounds/kick.wav', /^sounds\/[\w-][\w.-]*\.wav$/),
  ),
  rumbleMs: number(0, MAX_RUMBLE_MS),
};
const WHOLE = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
const OPTION = { default: WHOLE, min: WHOLE, max: WHOLE };
const SECONDS = {
  ready: number(0, MAX_SECONDS),
  roundOver: number(0, MAX_SECONDS),
  matchOver: number(0, MAX_SECONDS),
};

/** What the TV has to know of a game. */
const DESCRIPTION = {
  id: like('a plain name that matches [a-z][a-z0-9-]*', ID),
  ...TEXTS,
  players: object(),
  view: object(),
  options: maybe(object()),
  translations: maybe(object()),
  teams: maybe(array(MIN_TEAMS, MAX_TEAMS)),
};
const SPEC = {
  ...DESCRIPTION,
  seconds: object(),
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

/**
 * Checks all fields of a game.
 * @param {unknown} spec the argument of defineGame()
 * @throws {PitvError} PITV_GAME_INVALID
 */
export function checkGame(spec) {
  const owner = nameOf(spec);
  checkFields(owner, '', SPEC, spec);
  checkDescription(spec);
  checkFields(owner, 'seconds.', SECONDS, Reflect.get(Object(spec), 'seconds'));
}

/**
 * Checks the fields of a game that the TV uses. Others are ignored.
 * @param {any} game
 * @throws {PitvError} PITV_GAME_INVALID
 */
export function checkDescription(game) {
  const owner = nameOf(game);
  check(owner, 'the game', object(), game);
  for (const [name, field] of Object.entries(DESCRIPTION)) check(owner, name, field, game[name]);
  const { players, controls, view, options = {}, translations = {}, teams } = game;
  checkFields(owner, 'players.', PLAYERS, players);
  if (players.min > players.max) throw invalid(owner, 'players.min must not exceed players.max.');
  checkFields(owner, 'controls.', CONTROLS, controls);
  checkView(owner, view);
  if (teams) checkTeams(owner, game);
  for (const [name, option] of Object.entries(options)) checkOption(owner, name, option);
  for (const [language, texts] of Object.entries(translations)) {
    const path = `translations.${language}`;
    checkFields(owner, `${path}.`, TRANSLATION, texts);
    checkFields(owner, `${path}.controls.`, CONTROLS, Reflect.get(Object(texts), 'controls'));
    const names = Reflect.get(Object(texts), 'teams');
    if (names && names.length !== (teams?.length ?? 0)) {
      throw invalid(owner, `${path}.teams must have a name for each element of teams.`);
    }
  }
}

/** @param {string} owner @param {any} game */
function checkTeams(owner, { teams, players, view }) {
  for (const [i, team] of teams.entries()) checkFields(owner, `teams[${i}].`, TEAM, team);
  if (players.max < teams.length) {
    throw invalid(owner, `players.max must be at least the number of teams, ${teams.length}.`);
  }
  const problem = findTeamProblem(teams, view.background);
  if (problem) throw invalid(owner, problem);
}

/** @param {string} owner @param {any} view */
function checkView(owner, view) {
  checkFields(owner, 'view.', VIEW, view);
  for (const [i, kind] of view.kinds.entries()) {
    checkFields(owner, `view.kinds[${i}].`, KIND, kind);
  }
  for (const [i, event] of view.events.entries()) {
    checkFields(owner, `view.events[${i}].`, EVENT, event);
  }
}

/** @param {string} owner @param {string} name @param {any} option */
function checkOption(owner, name, option) {
  const path = `options.${name}`;
  if (RESERVED_OPTIONS.includes(name)) {
    throw invalid(owner, `${path} has a name that each match uses itself.`);
  }
  checkFields(owner, `${path}.`, OPTION, option);
  if (option.min > option.default || option.default > option.max) {
    throw invalid(owner, `${path}.default must be from ${path}.min to ${path}.max.`);
  }
}

/**
 * Checks an object's fields, and refuses unknown ones.
 * @param {string} owner @param {string} path of the object: empty, or with a dot at its end
 * @param {Fields} fields @param {unknown} value
 */
function checkFields(owner, path, fields, value) {
  check(owner, path.slice(0, -1) || 'the game', object(), value);
  for (const name of Object.keys(Object(value))) {
    if (Object.hasOwn(fields, name)) continue;
    const near = Object.keys(fields).find((known) => isNear(known, name));
    const hint = near ? ` Is it ${path}${near}?` : ` Fields: ${Object.keys(fields).join(', ')}.`;
    throw invalid(owner, `there is no field ${path}${name.slice(0, MAX_NAME)}.${hint}`);
  }
  for (const [name, field] of Object.entries(fields)) {
    check(owner, `${path}${name}`, field, Reflect.get(Object(value), name));
  }
}

/** @param {string} owner @param {string} path @param {Field} field @param {unknown} value */
function check(owner, path, field, value) {
  try {
    checkValue(owner, path, field, value);
  } catch (error) {
    throw new PitvError('PITV_GAME_INVALID', messageOf(error));
  }
}

/** Tells whether a name is another one with a typing error. @param {string} known @param {string} name */
function isNear(known, name) {
  const [p, q] = [known.toLowerCase(), name.toLowerCase()];
  if (p === q) return true;
  if (Math.abs(p.length - q.length) > 1) return false;
  let start = 0;
  while (start < p.length && p[start] === q[start]) start++;
  const rest = (/** @type {string} */ text, /** @type {number} */ skip) => text.slice(start + skip);
  return (
    rest(p, 1) === rest(q, 1) || // another letter
    rest(p, 1) === rest(q, 0) || // a letter is missing
    rest(p, 0) === rest(q, 1) || // there is one too many
    (p[start] === q[start + 1] && p[start + 1] === q[start] && rest(p, 2) === rest(q, 2))
  );
}

/** Returns a game's id for messages. @param {unknown} game @returns {string} */
function nameOf(game) {
  const id = Reflect.get(Object(game), 'id');
  return typeof id === 'string' && ID.test(id) ? id : 'defineGame()';
}

/** @param {string} owner @param {string} problem */
const invalid = (owner, problem) => new PitvError('PITV_GAME_INVALID', `${owner}: ${problem}`);
