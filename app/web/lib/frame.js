/** The frame format, shared with the server. A browser gets app/game/frame.js. */
export * from '../../game/frame.js';
