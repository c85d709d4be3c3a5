/** The format of replays, shared with the server. A browser gets app/game/replay-file.js. */
export * from '../../game/replay-file.js';
