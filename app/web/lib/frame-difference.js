/**
 * The format of differences between frames, shared with the server. A browser that requests /lib/frame-difference.js
 * gets app/game/frame-difference.js. This file is for Node.js and the type checker.
 */
export * from '../../game/frame-difference.js';
