/**
 * The colours of players, one file for both ends. A browser that asks for /lib/player-colors.js is given
 * app/match/player-colors.js itself; this file leads Node's tests and the type checker to the same place.
 */
export * from '../../match/player-colors.js';
