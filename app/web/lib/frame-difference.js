/** The format of differences between frames, shared with the server. A browser gets app/game/frame-difference.js. */
export * from '../../game/frame-difference.js';
