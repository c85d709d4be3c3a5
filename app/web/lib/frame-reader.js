/** Reads single fields of frames, shared with the server. A browser gets app/game/frame-reader.js. */
export * from '../../game/frame-reader.js';
