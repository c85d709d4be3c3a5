/**
 * Restores frames from differences, shared with the server. A browser that requests /lib/difference-reader.js gets
 * app/game/difference-reader.js. This file is for Node.js and the type checker.
 */
export * from '../../game/difference-reader.js';
