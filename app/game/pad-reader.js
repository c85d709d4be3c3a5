/** Reads the pads' input words into the controls of a match. */
import { blankInput, unpackInput } from './input.js';
import { NO_TEAM } from './teams.js';

/** A stick closer to the centre than this counts as centred, because a resting thumb is not exact. */
const DEAD_ZONE = 0.12;
/** Ticks for which a new player may read what the phone teaches, at most and after the first use of a control. */
const MAX_LEARNING_TICKS = 13 * 60;
const USED_LEARNING_TICKS = 3 * 60;

/** @typedef {import('./flow.js').Flow} Flow */

/** The input of a slot; one object, reused. */
const input = blankInput();

/**
 * Reads the input of every slot. Any word is valid: values out of range are clamped. The sequence
 * number is read before the word, so the word is at least as new.
 * @param {Flow} flow @param {(slot: number) => number} readWord
 * @param {(slot: number) => number} readSequence
 * @returns {boolean} whether a human joined or left
 */
export function readPads(flow, readWord, readSequence) {
  let changed = false;
  for (let slot = 0; slot < flow.slots; slot++) {
    flow.sequence[slot] = readSequence(slot) >>> 0;
    unpackInput(readWord(slot) | 0, input);
    if (input.present !== (flow.human[slot] === 1)) {
      changed = true;
      if (input.present) join(flow, slot);
      else leave(flow, slot);
    }
    if (!input.present) continue;
    const length = Math.sqrt(input.x * input.x + input.y * input.y);
    const scale = length < DEAD_ZONE ? 0 : length > 1 ? 1 / length : 1;
    flow.stickX[slot] = input.x * scale;
    flow.stickY[slot] = input.y * scale;
    flow.held[slot] = input.buttons;
    flow.tapsA[slot] = (input.pressesA - flow.seenA[slot]) & 15;
    flow.tapsB[slot] = (input.pressesB - flow.seenB[slot]) & 15;
    flow.seenA[slot] = input.pressesA;
    flow.seenB[slot] = input.pressesB;
    const used = scale > 0 || flow.tapsA[slot] > 0 || flow.tapsB[slot] > 0;
    const learning = flow.learning[slot] - 1;
    flow.learning[slot] = Math.max(0, used ? Math.min(learning, USED_LEARNING_TICKS) : learning);
  }
  return changed;
}

/**
 * Assigns a slot to a human. If a bot played it, the human takes over its body and score, and its team
 * except in a game with castAlways. Earlier presses do not count.
 * @param {Flow} flow @param {number} slot
 */
function join(flow, slot) {
  flow.human[slot] = 1;
  flow.bot[slot] = 0;
  flow.learning[slot] = MAX_LEARNING_TICKS;
  if (flow.teams > 0 && flow.spec.castAlways) flow.team[slot] = NO_TEAM;
  flow.seenA[slot] = input.pressesA;
  flow.seenB[slot] = input.pressesB;
}

/** Removes a human. A bot plays a living body until the round ends. @param {Flow} flow @param {number} slot */
function leave(flow, slot) {
  flow.human[slot] = 0;
  flow.learning[slot] = 0;
  flow.bot[slot] = flow.alive[slot];
  flow.command(slot, 0, 0, 0);
}
