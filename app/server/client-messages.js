/** Makes the messages to screens and pads about the lobby, games and matches. web/lib/types.js describes them. */

/** @typedef {import('../lobby/players.js').Player} Player */
/** @typedef {import('../match/match.js').Match} Match */

/** Names of players by which people recognise a match. */
const MAX_NAMES = 3;

/**
 * Describes the lobby to a screen. The text of the same state is the same, except in a party's pause.
 * @param {Pick<import('./hub.js').HubServices, 'lobby' | 'party' | 'records' | 'status' | 'home'>} services
 * @returns {string} JSON
 */
export function screenLobby({ lobby, party, records, status, home }) {
  const { urls, joinUrl, qr, problems } = status;
  return JSON.stringify({
    t: 'lobby',
    code: lobby.code.code,
    linkCode: lobby.code.linkCode,
    urls,
    joinUrl,
    qr,
    problems,
    players: lobby.players.all.map(({ id, name, color, match, connected }) => {
      return { id, name, color, match: match?.id ?? null, connected };
    }),
    matches: lobby.matches.map(({ id, game, players, phase }) => {
      const ids = players.map((player) => player.id);
      return { id, game: game.id, title: game.title, players: ids, phase };
    }),
    capacity: lobby.capacity,
    games: lobby.gameList.version,
    starting: startingOf(lobby),
    botStrength: lobby.botStrength,
    party: party.state,
    records: records.view(lobby.games),
    ...home.lobbyState,
  });
}

/**
 * Makes the message that a screen watches a match.
 * @param {Match} match @param {boolean} mayStop @param {import('../lobby/records.js').News[]} news of its podium
 */
export function watchMessage(match, mayStop, news) {
  const { id, game } = match;
  const about = { match: id, game: game.id, version: game.hash, slots: slotsOf(match) };
  return { t: 'watch', ...about, mayStop, news, paused: match.paused };
}

/** Describes the match that is about to start. @param {import('../lobby/lobby.js').Lobby} lobby */
export function startingOf({ ready: { pending } }) {
  return pending && { game: pending.game, by: pending.by.name };
}

/** Makes the message that the seats of a match have changed. @param {Match} match @param {boolean} mayStop */
export const slotsText = (match, mayStop) =>
  JSON.stringify({ t: 'slots', match: match.id, slots: slotsOf(match), mayStop });

/** Describes the seats of a match. @param {Match} match */
export function slotsOf(match) {
  return match.seats.slots.map(({ slot, player }) => {
    if (!player) return { slot, player: null };
    const { id, name, color, connected } = player;
    return { slot, player: { id, name, color, ...(!connected && { away: true }) } };
  });
}

/** Returns what pages need to know of a game. @param {import('../packages/catalog.js').Game} game */
export function describeGame({ hash: version, options = {}, translations = {}, ...game }) {
  const { id, title, tagline, rules, players, controls, view, teams, records } = game;
  const rest = { options, translations, teams, records };
  return { id, version, title, tagline, rules, players, controls, view, ...rest };
}

/** Returns who owns the matches that a player has started. @param {Player} player */
export const ownerOf = ({ id }) => `player:${id}`;

/**
 * Describes the lobby to a player. The text of the same state is the same.
 * @param {Pick<import('./hub.js').HubServices, 'lobby' | 'party' | 'home'>} services @param {Player} player
 * @param {{isShown: (match: Match) => boolean, canPractise: boolean}} screens canPractise: a screen shows the lobby
 * @returns {string} JSON
 */
export function padLobby({ lobby, party, home }, player, { isShown, canPractise }) {
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
