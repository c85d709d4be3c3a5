/**
 * The colours of players, shared with the server. A browser that requests /lib/player-colors.js gets
 * app/match/player-colors.js. This file is for Node.js and the type checker.
 */
export * from '../../match/player-colors.js';
