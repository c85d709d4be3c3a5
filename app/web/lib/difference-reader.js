/** Restores frames from differences, shared with the server. A browser gets app/game/difference-reader.js. */
export * from '../../game/difference-reader.js';
