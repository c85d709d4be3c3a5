/**
 * Checks what a game gives to defineGame(). A wrong field is an error whose sentence names the field, such as
 * "pong: view.kinds[2].look must be one of ball, orb, ..., not "bal"."
 */
import { PitvError, messageOf } from '../errors.js';
import { checkFields, checkValue, object } from '../options.js';
import { DESCRIPTION, ID, SPEC, TRANSLATION } from './game-fields.js';
import { findTeamProblem } from './team-colors.js';

/** The options that each start of a match has. */
const RESERVED_OPTIONS = ['seed', 'match'];

/** Makes the error for a game that cannot be used. @param {string} sentence @param {unknown} [cause] */
export const invalidGame = (sentence, cause) =>
  new PitvError('PITV_GAME_INVALID', sentence, { cause });

/** Checks something, whose error becomes that of a game. @param {() => void} check @throws PITV_GAME_INVALID */
export function checkPart(check) {
  try {
    check();
  } catch (error) {
    throw invalidGame(messageOf(error));
  }
}

/** Checks all fields of a game. @param {unknown} spec of defineGame() @throws {PitvError} PITV_GAME_INVALID */
export function checkGame(spec) {
  const owner = nameOf(spec);
  checkPart(() => checkFields(owner, '', SPEC, spec));
  checkRelations(owner, spec);
}

/** Checks the fields of a game that the TV uses. @param {any} game @throws {PitvError} PITV_GAME_INVALID */
export function checkDescription(game) {
  const owner = nameOf(game);
  checkPart(() => {
    checkValue(owner, 'its content', object(), game);
    checkFields(owner, '', DESCRIPTION, descriptionOf(game));
  });
  checkRelations(owner, game);
}

/** Checks what fields must be to each other. @param {string} owner @param {any} game whose fields have been checked */
function checkRelations(owner, game) {
  const { players, view, options = {}, translations = {}, teams = [], records = [] } = game;
  if (players.min > players.max) throw invalid(owner, 'players.min must not exceed players.max.');
  if (players.max < teams.length) {
    throw invalid(owner, `players.max must be at least the number of teams, ${teams.length}.`);
  }
  const problem = findTeamProblem(teams, view.background);
  if (problem) throw invalid(owner, problem);
  checkRecords(owner, records, view);
  for (const [name, option] of Object.entries(options)) checkOption(owner, name, option);
  for (const [language, texts] of Object.entries(translations)) {
    checkCounts(owner, `translations.${language}.`, texts, game);
  }
}

/**
 * Returns the fields of a game that the TV uses, without those that it lacks.
 * @param {any} game @returns {Pick<import('./define.js').GameSpec, keyof typeof DESCRIPTION> &
 *   Required<Pick<import('./define.js').GameSpec, 'options' | 'translations'>>}
 */
export function descriptionOf(game) {
  const names = Object.keys(DESCRIPTION).filter((name) => game[name] !== undefined);
  const found = Object.fromEntries(names.map((name) => [name, game[name]]));
  return /** @type {any} */ ({ options: {}, translations: {}, ...found });
}

/**
 * Checks the texts of a language.
 * @param {string} owner @param {string} path of the texts: empty, or with a dot at its end
 * @param {any} texts @param {any} game
 * @throws {PitvError} PITV_GAME_INVALID
 */
export function checkTexts(owner, path, texts, game) {
  checkPart(() => checkFields(owner, path, TRANSLATION, texts));
  checkCounts(owner, path, texts, game);
}

/** @param {string} owner @param {string} path @param {any} texts @param {any} game */
function checkCounts(owner, path, texts, game) {
  for (const list of ['teams', 'records']) {
    if (!texts[list] || texts[list].length === (game[list]?.length ?? 0)) continue;
    const each = list.slice(0, -1);
    throw invalid(owner, `${path}${list} must have a name for each ${each} of the game.`);
  }
}

/** @param {string} owner @param {any[]} records @param {any} view */
function checkRecords(owner, records, { extra, events }) {
  /** @type {Record<string, string[]>} */
  const names = { extra, time: events.map((/** @type {{name: string}} */ { name }) => name) };
  for (const [i, { of, from }] of records.entries()) {
    if (names[of]?.includes(from) ?? true) continue;
    const list = of === 'time' ? 'events' : 'extra';
    throw invalid(owner, `records[${i}].from must be a name in view.${list}.`);
  }
}

/** @param {string} owner @param {string} name @param {any} option */
function checkOption(owner, name, option) {
  const path = `options.${name}`;
  if (RESERVED_OPTIONS.includes(name)) {
    throw invalid(owner, `${path} has a name that each match uses itself.`);
  }
  if (option.min > option.default || option.default > option.max) {
    throw invalid(owner, `${path}.default must be from ${path}.min to ${path}.max.`);
  }
}

/** Returns a game's id for messages. @param {unknown} game @returns {string} */
function nameOf(game) {
  const id = Reflect.get(Object(game), 'id');
  return typeof id === 'string' && ID.test(id) ? id : 'defineGame()';
}

/** @param {string} owner @param {string} problem */
const invalid = (owner, problem) => invalidGame(`${owner}: ${problem}`);
