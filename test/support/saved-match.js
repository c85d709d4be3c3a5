/** The fields of a saved match (app/match/saved-match.js). */
export const saved = Object.freeze({
  id: 7,
  game: 'bumper',
  hash: 'abc',
  options: { seed: 1 },
  owner: 'api',
  tokenHash: 'ab'.repeat(32),
  tick: 600,
  seats: [{ slot: 0, player: 3 }],
});
