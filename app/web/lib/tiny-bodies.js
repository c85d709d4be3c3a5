/**
 * Draws tiny bodies as squares, all of a kind and an owner at once: a sprite for each would take most of a slow TV's
 * time.
 */
import { lighten } from './color.js';

/** Maximum radius, px. */
const MAX_RADIUS = 2.5;
/** Half the side of a square whose area is that of a circle, part of the radius. */
const SQUARE_SHARE = Math.sqrt(Math.PI) / 2;
const LIGHTER = 0.15;
const OWNERS = 256;

/** Stands for the sprite of a tiny body. */
export const TINY = Object.freeze({ x: 0, y: 0, width: 0, height: 0 });

/** @typedef {import('./frame-view.js').InterpolatedBodies} InterpolatedBodies */

export class TinyBodies {
  /** Indexes of the bodies, by kind and owner. @type {Map<number, number[]>} */
  #groups = new Map();

  clear() {
    for (const group of this.#groups.values()) group.length = 0;
  }

  /**
   * Adds a round body if it is tiny, and has no picture, no halo and no state.
   * @param {InterpolatedBodies} bodies @param {number} i
   * @param {number} r px @param {import('./sprites.js').Sprites} sprites
   * @returns {boolean} whether it was added
   */
  add({ kind, owner, state }, i, r, sprites) {
    if (r > MAX_RADIUS || state[i] !== 0 || !sprites.isPlain(kind[i])) return false;
    const key = kind[i] * OWNERS + owner[i];
    const group = this.#groups.get(key);
    if (group) group.push(i);
    else this.#groups.set(key, [i]);
    return true;
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {import('./sprites.js').Sprites} sprites
   * @param {InterpolatedBodies} bodies
   * @param {{scale: number, x: number, y: number}} place converts world units to px
   */
  draw(context, sprites, { x, y, a, kind, owner }, place) {
    for (const group of this.#groups.values()) {
      if (group.length === 0) continue;
      context.beginPath();
      for (const i of group) {
        const half = a[i] * place.scale * SQUARE_SHARE;
        const left = place.x + x[i] * place.scale - half;
        const top = place.y + y[i] * place.scale - half;
        context.rect(left, top, 2 * half, 2 * half);
      }
      context.fillStyle = lighten(sprites.colorOf(kind[group[0]], owner[group[0]]), LIGHTER);
      context.fill();
    }
  }
}
