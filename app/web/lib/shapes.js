import { lighten, withAlpha } from './color.js';
import { circle, stroke } from './canvas.js';
import { lookOf } from './looks.js';

/** Draws bodies without a sprite: lines, rings, and bodies that are too large or tiny. */

/** Width of lines and rings, world units. */
const LINE_WIDTH = 5;
/** Maximum width of a ring's line, part of its radius. */
const RING_SHARE = 0.14;
/** Halos of a glowing line: width in line widths, and opacity. */
const HALOS = Object.freeze([
  { width: 5, alpha: 0.1 },
  { width: 2.6, alpha: 0.22 },
]);
/** Maximum radius of a tiny body, px. */
const MAX_TINY_RADIUS = 2.5;
/** Half the side of a square whose area is that of a circle, part of the radius. */
const SQUARE_SHARE = Math.sqrt(Math.PI) / 2;
const TINY_LIGHTER = 0.15;
const OWNERS = 256;

/** Bodies paint this many times the pixels of the picture at most. */
const MAX_LAYERS = 16;
/** Radius of the halo of a glowing body, in radii of the body. */
export const GLOW_REACH = 2.1;
/** Pixels that a body paints at least, and those of a line for each pixel of its length, with halos. */
const BODY_PIXELS = 64;
const LINE_PIXELS = 40;

/**
 * Counts the bodies of a picture that are drawn: the first ones. A game of others can have so many large ones that
 * painting all of them would keep the page busy for minutes.
 * @param {InterpolatedBodies} bodies @param {import('./types.js').GameView} view
 * @param {{width: number, height: number}} picture px @param {number} scale px per world unit
 */
export function countDrawn({ count, kind, state, a, b }, { kinds }, { width, height }, scale) {
  let left = MAX_LAYERS * width * height;
  let drawn = 0;
  for (; drawn < count && left > 0; drawn++) {
    const { look = '', glow = false } = kinds[kind[drawn]] ?? {};
    const { shape } = lookOf(look, b[drawn]);
    const isLine = shape === 'line' || look === 'ring';
    const perUnit = 2 * scale * (glow ? GLOW_REACH : 1);
    const rx = Math.abs(a[drawn]);
    const ry = shape === 'box' || shape === 'line' ? Math.abs(b[drawn]) : rx;
    const wide = Math.min(rx * perUnit, width);
    const high = Math.min(ry * perUnit, height);
    const pixels = isLine ? (wide + high) * LINE_PIXELS : wide * high;
    left -= BODY_PIXELS + (state[drawn] === 0 ? pixels : 2 * pixels);
  }
  return drawn;
}

export class Shapes {
  #context;
  #kinds;
  /** Scale, px per world unit. */
  scale = 1;
  /** Whether halos are left out. */
  isLow = false;

  /** @param {CanvasRenderingContext2D} context @param {import('./types.js').GameView} view */
  constructor(context, view) {
    this.#context = context;
    this.#kinds = view.kinds;
  }

  /**
   * Draws a large body.
   * @param {import('./looks.js').Look} look
   * @param {number} kind @param {string} color
   * @param {number} x @param {number} y
   * @param {number} r radius or half width, px @param {number} [ry] half height of a box, px
   */
  big(look, kind, color, x, y, r, ry = r) {
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, x, y);
    if (this.#kinds[kind]?.look === 'ring') {
      circle(context, r);
      this.#stroke(kind, color, Math.min(LINE_WIDTH * this.scale, r * RING_SHARE));
    } else look.paint?.(context, r, ry, color, 0);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  /**
   * Draws a line.
   * @param {number} kind @param {string} color
   * @param {number} x @param {number} y first end, px @param {number} dx @param {number} dy to the second end
   */
  line(kind, color, x, y, dx, dy) {
    const context = this.#context;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + dx, y + dy);
    context.lineCap = 'round';
    this.#stroke(kind, color, LINE_WIDTH * this.scale);
  }

  /** Draws a ring around a body with a shield. @param {number} x @param {number} y @param {number} r px */
  shield(x, y, r) {
    circle(this.#context, r * 1.22, x, y);
    stroke(this.#context, Math.max(2, r * 0.16), 'rgba(225, 240, 255, 0.9)');
  }

  /** Strokes the current path. @param {number} kind @param {string} color @param {number} width px */
  #stroke(kind, color, width) {
    const context = this.#context;
    if (this.#kinds[kind]?.glow && !this.isLow) {
      for (const halo of HALOS) {
        stroke(context, Math.max(2, width * halo.width), withAlpha(color, halo.alpha));
      }
    }
    stroke(context, Math.max(1.5, width), lighten(color, 0.25));
  }
}

/** Stands for the sprite of a tiny body. */
export const TINY = /** @type {import('./atlas.js').Sprite} */ (Object.freeze({}));

/** @typedef {import('./frame-view.js').InterpolatedBodies} InterpolatedBodies */

/**
 * Draws tiny bodies as squares, those of a kind and an owner one after the other: a sprite for each would take most of
 * a slow TV's time.
 */
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
    if (r > MAX_TINY_RADIUS || state[i] !== 0 || !sprites.isPlain(kind[i])) return false;
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
      const color = sprites.colorOf(kind[group[0]], owner[group[0]]);
      context.fillStyle = lighten(color, TINY_LIGHTER);
      for (const i of group) {
        const half = a[i] * place.scale * SQUARE_SHARE;
        const left = place.x + x[i] * place.scale - half;
        const top = place.y + y[i] * place.scale - half;
        context.fillRect(left, top, 2 * half, 2 * half);
      }
    }
  }
}
