/**
 * The input format, one file for both ends. A browser that asks for /lib/input.js is given
 * app/game/input.js itself; this file leads Node's tests and the type checker to the same place.
 */
export * from '../../game/input.js';
