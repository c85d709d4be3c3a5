/** The public module `pitv/game`: everything that a game needs. */
export { BODY_STATE, NO_BODY, NO_OWNER, PHASE } from './frame.js';
export { BUTTON_A, BUTTON_B } from './input.js';
export { FLAG, MAX_CAPACITY, SHAPE, STEP_SECONDS, World } from './world.js';
export { TICK_HZ } from './flow.js';
export { NO_TEAM } from './teams.js';
export { atan256, cos256, sin256 } from './trig.js';
export { defineGame } from './define.js';

/**
 * @typedef {import('./flow.js').Flow} Flow
 * @typedef {import('./define.js').GameSpec} GameSpec
 * @typedef {import('./decor-writer.js').DecorWriter} DecorWriter
 */
