/** Makes the messages to pads about the lobby and their match. */

/** @typedef {import('../lobby/players.js').Player} Player */
/** @typedef {import('../match/match.js').Match} Match */

/** Returns who owns the matches that a player has started. @param {Player} player */
export const ownerOf = ({ id }) => `player:${id}`;

/**
 * Describes the lobby to a player. The text of the same state is the same.
 * @param {Pick<import('./hub.js').HubServices, 'lobby' | 'party' | 'home'>} services
 * @param {Player} player
 * @returns {string} JSON
 */
export function lobbyText({ lobby, party, home }, player) {
  const { progress } = party;
  const { name, color, match: current } = player;
  return JSON.stringify({
    t: 'lobby',
    games: lobby.games
      .filter((game) => game.players.max > 0)
      .map(({ id, title, players, hash }) => ({ id, title, players, version: hash })),
    matches: lobby.matches
      .filter((match) => match.game.players.max > 0)
      .map(({ id, game, open, owner }) => {
        const own = owner === ownerOf(player);
        return { id, game: game.id, title: game.title, open, ...(own && { own }) };
      }),
    players: lobby.players.all.length,
    party: progress && { ...progress, points: party.pointsOf(player.id) },
    me: { match: current?.id ?? null, name, color },
    ...home.lobbyState,
  });
}

/** Tells a player about a match. @param {Match} match @param {Player} player */
export const matchMessage = (match, player) => ({
  t: 'match',
  match: match.id,
  game: match.game.id,
  version: match.game.hash,
  title: match.game.title,
  controls: match.game.controls,
  slot: match.seats.slotOf(player),
});
