/** The colours of players, shared with the server. A browser gets app/match/player-colors.js. */
export * from '../../match/player-colors.js';
