/**
 * The input format, shared with the server. A browser that requests /lib/input.js gets
 * app/game/input.js. This file is for Node.js and the type checker.
 */
export * from '../../game/input.js';
