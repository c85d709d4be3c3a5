/** Names of the phases of a match. */
import { PHASE } from '../game/frame.js';

/** By number. @type {readonly string[]} */
export const PHASE_NAMES = Object.freeze(
  Object.entries(PHASE).reduce((names, [name, value]) => {
    names[value] = name;
    return names;
  }, /** @type {string[]} */ ([])),
);
