/** Chooses the node that runs a match: the one with most room. */
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError, messageOf } from '../errors.js';

/** How long a match of another node may take to appear. */
const APPEAR_MS = 3000;
const POLL_MS = 5;

/** @typedef {import('./fleet.js').Fleet} Fleet */

/**
 * Starts a match on the node with most room.
 * @param {Fleet} fleet @param {import('../lobby/lobby.js').NewMatch} need
 * @returns {Promise<number | undefined>} its id; undefined: this node has as much room as any other
 * @throws {PitvError} PITV_FLEET_AWAY: the TV ends
 */
export async function startElsewhere(fleet, { game, options, owner, tokenHash, first }) {
  const about = {
    game: game.id,
    hash: game.hash,
    options,
    owner,
    first: first?.id,
    tokenHash: tokenHash.toString('hex'),
  };
  await fleet.opened;
  const { self } = fleet.nodes;
  const canRun = !self.drains && !game.elsewhere;
  for (const { node, room } of fleet.nodes.ranking(game)) {
    const isNearer = canRun && room <= self.room;
    if (node === fleet.node || room <= 0 || isNearer) return undefined;
    try {
      return (await fleet.ask(node, 'start', about)).id;
    } catch (error) {
      fleet.log.warn({ node, error: messageOf(error) }, 'a match starts on another node');
    }
  }
  return undefined;
}

/**
 * Waits until a match that has started on another node appears in the lobby.
 * @param {import('./fleet-lobby.js').FleetLobby} lobby @param {number} id
 * @returns {Promise<import('../match/match.js').Match>}
 * @throws {PitvError} PITV_FLEET_AWAY
 */
export async function waitForMatch(lobby, id) {
  for (const end = performance.now() + APPEAR_MS; performance.now() < end;) {
    const match = lobby.find(id);
    if (match) return match;
    await delay(POLL_MS);
  }
  throw new PitvError('PITV_FLEET_AWAY', 'The match has started on a node that is away.');
}

/**
 * Gives all matches of this node to others.
 * @param {Fleet} fleet
 * @throws {PitvError} PITV_CAPACITY: no other node has room
 */
export async function giveAllAway(fleet) {
  for (const match of fleet.matches.own) {
    if (!match.running) continue;
    const [to] = fleet.nodes
      .ranking(match.game)
      .filter(({ node, room }) => node !== fleet.node && room > 0);
    if (!to) throw new PitvError('PITV_CAPACITY', 'No other node of the fleet has room.');
    await fleet.matches.giveAway(match, (id) => fleet.ask(to.node, 'adopt', { match: id }));
  }
}
