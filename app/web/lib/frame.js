/**
 * The frame format, one file for both ends. A browser that asks for /lib/frame.js is given
 * app/game/frame.js itself; this file leads Node's tests and the type checker to the same place.
 */
export * from '../../game/frame.js';
