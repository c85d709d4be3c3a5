/** The games of the TV, with texts in the page's language. */
import { language, text as textOf } from './language.js';
import { requestJson, tvUrl } from './request.js';

/** @typedef {import('./types.js').Game} Game */

/** Numbers of games of a party, to choose from. */
export const PARTY_GAMES = Object.freeze([3, 5, 7]);

/** @type {Map<string, Game>} */
const known = new Map();

/**
 * Replaces a game's texts by those in a language.
 * @param {Game} game @param {string} code of the language
 * @returns {Game} the game itself if it has no texts in the language
 */
export function translateGame(game, code) {
  const texts = game.translations?.[code];
  if (!texts) return game;
  const { round = game.view.round, teams: teamNames, records: recordNames, ...own } = texts;
  const teams = rename(game.teams, teamNames);
  const records = rename(game.records, recordNames);
  return { ...game, ...own, view: { ...game.view, round }, teams, records };
}

/** @template {{name: string}} T @param {T[] | undefined} list @param {string[]} [names] in the same order */
const rename = (list, names = []) =>
  list?.map((one, i) => ({ ...one, name: names[i] ?? one.name }));

/** Loads all games. @returns {Promise<Game[]>} rejects if the TV does not answer */
export async function loadGames() {
  /** @type {Game[]} */
  const list = await requestJson(tvUrl('/api/games'));
  const games = list.map((game) => translateGame(game, language));
  known.clear();
  for (const game of games) known.set(game.id, game);
  return games;
}

/**
 * Returns the version of a game that a match plays. The TV may no longer list it.
 * @param {import('./types.js').MatchId} match @param {string} id of the game @param {string} version
 * @returns {Promise<Game>} rejects if the TV does not answer, or the match is over
 */
export async function gameOfMatch(match, id, version) {
  const game = known.get(id);
  if (game?.version === version) return game;
  const played = await requestJson(tvUrl(`/api/matches/${encodeURIComponent(match)}/game`));
  return translateGame(played, language);
}

/**
 * Returns a game's title in the page's language.
 * @param {string} id @param {string} [title] used until the games are loaded
 */
export const titleOf = (id, title = id) => known.get(id)?.title ?? title;

/** Describes a match that is about to start. @param {{game: string, by: string}} starting */
export const startingText = ({ game, by }) =>
  textOf('lobby.starting', { name: by, title: titleOf(game) });

/** Describes the number of players. @param {{min: number, max: number}} players @returns {string} */
export function playersText({ min, max }) {
  if (max === 0) return textOf('players.watch');
  return min === max ? textOf('players', { count: min }) : textOf('players.range', { min, max });
}
