/** The input format, shared with the server. A browser gets app/game/input.js. */
export * from '../../game/input.js';
