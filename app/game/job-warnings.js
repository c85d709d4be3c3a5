/** Turns the bad values that a frame writer has clamped into sentences, each fault once. */
import { FAULT } from './frame-writer.js';

/** What was done about a fault, by its bit. @type {Readonly<Record<number, string>>} */
const DONE = Object.freeze({
  [FAULT.position]: 'A position or size must be a finite number; it is drawn at the edge or at 0.',
  [FAULT.kind]: 'A kind must be an index into view.kinds.',
  [FAULT.owner]: 'An owner must be a slot or NO_OWNER; the body is drawn without an owner.',
  [FAULT.bodies]:
    'There are more bodies than world() and decor announce; the others are not drawn.',
  [FAULT.event]: 'An event needs a type of view.events and a position.',
  [FAULT.player]:
    'A score must be an int32, a gauge 0 to 1, a body an id or NO_BODY; it is clamped.',
  [FAULT.extra]: 'An extra number must be 0 to 65535; it is clamped.',
});

export class JobWarnings {
  #id;
  #writer;
  #told = 0;

  /** @param {string} id of the game @param {import('./frame-writer.js').FrameWriter} writer */
  constructor(id, writer) {
    this.#id = id;
    this.#writer = writer;
  }

  /**
   * Returns a fault that has not been returned yet.
   * @param {number} tick
   * @returns {string | undefined} a sentence
   */
  take(tick) {
    const { faults, values } = this.#writer;
    if (faults === this.#told) return undefined;
    const fault = faults & ~this.#told & -(faults & ~this.#told); // the lowest new bit
    this.#told |= fault;
    return `${this.#id}, tick ${tick}: ${values.get(fault)}. ${DONE[fault]}`;
  }
}
