/**
 * The frame format, shared with the server. A browser that requests /lib/frame.js gets
 * app/game/frame.js. This file is for Node.js and the type checker.
 */
export * from '../../game/frame.js';
