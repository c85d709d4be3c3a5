/** Describes a fleet, for the admin page and the metrics. */

/**
 * Describes the nodes, which match runs where, and which node runs the party.
 * @param {import('./fleet.js').Fleet} fleet
 * @param {import('./open-parts.js').Parts} [parts] undefined while the TV starts
 */
export const stateOf = (fleet, parts) => ({
  node: fleet.node,
  cutOff: fleet.isCutOff,
  nodes: parts?.nodes.all ?? [],
  party: fleet.party.node,
  matches: fleet.lobby.matches.map((match) => ({
    id: match.id,
    game: match.game.id,
    node: parts?.matches.nodeOf(match) ?? fleet.node,
    moves: (fleet.record(match.id)?.epoch ?? 1) - 1,
    players: match.players.length,
  })),
});

/**
 * Returns what the metrics tell.
 * @param {import('./fleet.js').Fleet} fleet
 * @param {import('./open-parts.js').Parts} [parts] undefined while the TV starts
 */
export function sampleOf({ counters, lobby }, parts) {
  const here = parts?.matches.own.length ?? 0;
  const matches = { here, elsewhere: lobby.matches.length - here };
  return { counters, nodes: parts?.nodes.all ?? [], matches };
}
