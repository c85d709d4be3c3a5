/** Draws the decoration of a game into a frame. */
import { NO_OWNER } from './frame.js';

/**
 * What decorate() draws with. Like the context of a canvas, it has fields that apply to what is drawn next; each call
 * of decorate() begins with their defaults. So nothing is allocated, however much a game draws.
 */
export class DecorWriter {
  #writer;
  #firstId;
  #count;

  /**
   * @param {import('./frame-writer.js').FrameWriter} writer
   * @param {number} firstId id of the first decoration; ids below it are those of the world's bodies
   * @param {number} count of decorations, at most
   */
  constructor(writer, firstId, count) {
    this.#writer = writer;
    this.#firstId = firstId;
    this.#count = count;
    /** Index into view.kinds, default 0. */
    this.kind = 0;
    /** Slot whose colour is drawn for the color 'owner', default NO_OWNER. */
    this.owner = NO_OWNER;
    /** 0..255, 1/256 turns clockwise from the right, default 0. */
    this.angle = 0;
    /** Bit set of BODY_STATE, default 0. */
    this.state = 0;
  }

  begin() {
    this.kind = 0;
    this.owner = NO_OWNER;
    this.angle = 0;
    this.state = 0;
  }

  /**
   * Draws a circle.
   * @param {number} index 0..decor - 1
   * @param {number} x of the centre, world units @param {number} y @param {number} radius
   */
  circle(index, x, y, radius) {
    this.#draw(index, x, y, radius, 0);
  }

  /**
   * Draws a box.
   * @param {number} index 0..decor - 1
   * @param {number} x of the centre, world units @param {number} y
   * @param {number} halfWidth @param {number} halfHeight
   */
  box(index, x, y, halfWidth, halfHeight) {
    this.#draw(index, x, y, halfWidth, halfHeight);
  }

  /**
   * Draws a segment.
   * @param {number} index 0..decor - 1
   * @param {number} x1 of the first end, world units @param {number} y1
   * @param {number} x2 of the second end @param {number} y2
   */
  segment(index, x1, y1, x2, y2) {
    this.#draw(index, x1, y1, x2 - x1, y2 - y1);
  }

  /** @param {number} index @param {number} x @param {number} y @param {number} a @param {number} b see frame.js */
  #draw(index, x, y, a, b) {
    if (!(index >= 0 && index < this.#count)) return this.#writer.leaveOut('decoration', index);
    const { kind, owner, angle, state } = this;
    return this.#writer.body(this.#firstId + index, x, y, a, b, kind, owner, angle, state);
  }
}
