/** What the lobby of a node needs of its fleet. */
import { createLink } from './links.js';
import { startElsewhere, waitForMatch } from './placement.js';

/** @typedef {import('../match/match.js').Match} Match */

/**
 * @param {import('./fleet.js').Fleet} fleet
 * @param {object} parts
 * @param {import('./connection.js').FleetConnection} parts.connection
 * @param {import('./membership.js').Membership} parts.membership
 * @returns {import('./fleet-lobby.js').LobbyServices}
 */
export function lobbyServices(fleet, { connection, membership }) {
  const { node, games, counters } = fleet;
  return {
    node,
    games,
    othersCapacity() {
      const others = fleet.others;
      return {
        max: others.reduce((sum, about) => sum + about.max, 0),
        running: others.reduce((sum, about) => sum + about.matches, 0),
      };
    },
    isTaken: (id) => fleet.record(id) !== undefined,
    startElsewhere: async (need) => (membership.hasLease ? startElsewhere(fleet, need) : undefined),
    waitFor: (id) => waitForMatch(fleet.lobby, id),
    askOwner: (match, operation, about) =>
      fleet.ask(fleet.matches.nodeOf(match), operation, { match: match.id, ...about }),
    linkOf: ({ id }) =>
      createLink({
        id,
        node,
        connection,
        counters,
        playerAt: (slot) => fleet.lobby.find(id)?.seats.playerAt(slot),
        mayShow: () => fleet.mayShow(id),
        isWanted: () => fleet.isWanted(id),
        requestStop: (reason) =>
          fleet.ask(fleet.record(id)?.node ?? '', 'stop', { match: id, reason }),
      }),
  };
}
