/** Makes the messages to pads about the lobby and their match. */

import { startingOf } from './screen-messages.js';

/** @typedef {import('../lobby/players.js').Player} Player */
/** @typedef {import('../match/match.js').Match} Match */

/** Names of players by which people recognise a match. */
const MAX_NAMES = 3;

/** Returns who owns the matches that a player has started. @param {Player} player */
export const ownerOf = ({ id }) => `player:${id}`;

/**
 * Describes the lobby to a player. The text of the same state is the same.
 * @param {Pick<import('./hub.js').HubServices, 'lobby' | 'party' | 'home'>} services @param {Player} player
 * @param {{isShown: (match: Match) => boolean, canPractise: boolean}} screens canPractise: a screen shows the lobby
 * @returns {string} JSON
 */
export function lobbyText({ lobby, party, home }, player, { isShown, canPractise }) {
  const { progress } = party;
  const owner = ownerOf(player);
  const { name, color, match: current } = player;
  return JSON.stringify({
    t: 'lobby',
    games: lobby.offered
      .filter((game) => game.players.max > 0)
      .map(({ id, title, players, hash }) => ({ id, title, players, version: hash })),
    matches: lobby.matches
      .filter((match) => match.game.players.max > 0)
      .map((match) => {
        const { id, game, open, players } = match;
        const names = players.slice(0, MAX_NAMES).map((one) => one.name);
        const place = lobby.waiting.placeOf(player, match);
        const own = match.owner === owner && { own: true };
        const about = { id, game: game.id, title: game.title };
        return { ...about, open, names, place, shown: isShown(match), ...own };
      }),
    players: lobby.players.all.filter(({ connected }) => connected).length,
    party: progress && { ...progress, points: party.pointsOf(player.id), own: party.isOf(owner) },
    // The table of a party covers the balls.
    practice: canPractise && (!progress || progress.phase === 'playing'),
    starting: startingOf(lobby),
    me: { match: current?.id ?? null, name, color },
    ...home.lobbyState,
  });
}

/**
 * Tells a player about a match.
 * @param {Match} match @param {Player} player @param {import('../lobby/records.js').News[]} news of its podium
 */
export function matchMessage(match, player, news) {
  const { id, title, controls, hash: version } = match.game;
  const about = { match: match.id, game: id, version, title, controls, paused: match.paused };
  return { t: 'match', ...about, slot: match.seats.slotOf(player), news };
}
