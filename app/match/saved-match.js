/** The facts of a match that a restarted TV needs to resume it. */

/**
 * @typedef {object} Saved
 * @property {number} id @property {string} game
 * @property {string} hash of the game's version
 * @property {Record<string, number>} options @property {string} owner
 * @property {string} tokenHash hex
 * @property {boolean} [locked] whether it is a game of others
 * @property {number} tick of the checkpoint
 * @property {import('./timers.js').PauseState} [pause] older files lack it
 * @property {number} [epoch] of the owner in a fleet, see FleetWorker
 * @property {{slot: number, player: number, presses?: [number, number]}[]} seats presses: of the buttons A and B so
 *   far, modulo 16; older files lack them
 *
 * @typedef {object} SavedMatch
 * @property {Saved} saved @property {Buffer} checkpoint
 */

/**
 * Describes a match without what changes while it runs.
 * @param {import('./match.js').Match} match @returns {Omit<Saved, 'tick' | 'seats'>}
 */
export const factsOf = ({ id, game, options, owner, tokenHash }) => ({
  id,
  game: game.id,
  hash: game.hash,
  options,
  owner,
  tokenHash: tokenHash.toString('hex'),
  locked: game.lock !== undefined && game.package?.source.kind !== 'bundled',
});

/**
 * Describes a match at one of its checkpoints.
 * @param {import('./match.js').Match} match
 * @param {import('./resilient-worker.js').Checkpoint} checkpoint copied @returns {SavedMatch}
 */
export function describeMatch(match, { bytes, tick }) {
  const seats = match.seats.slots.flatMap(({ slot, player }) =>
    player ? [{ slot, player: player.id, presses: match.seats.pressesAt(slot) }] : [],
  );
  const { epoch } = match.worker;
  return {
    saved: { ...factsOf(match), tick, epoch, seats, pause: match.paused && { ...match.paused } },
    checkpoint: Buffer.from(bytes),
  };
}
