/** What a game is made with, for those who import `pitv/game`. */
export { FLAG, MAX_CAPACITY, SHAPE, STEP_SECONDS, World } from './world.js';
export { atan256, cos256, sin256 } from './trig.js';
export { defineGame } from './define.js';
