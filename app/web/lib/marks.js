import { contrastColor } from './color.js';
import { BODY_STATE } from '../../game/frame.js';
import { FONT, fillPath, roundedRect } from './canvas.js';
import { fillShape } from './player-shapes.js';

/**
 * Marks the players: a shape and a name over each player's body, and a trail behind a dashing body.
 *
 * @typedef {{slot: number, index: number, bot: boolean}} Played a slot and the index of its body
 * @typedef {{x: number, y: number, scale: number}} Place converts world units to px
 */

const TRAIL_POINTS = 14;
const TRAIL_STEP_MS = 16;
const MAX_SLOTS = 16;
const TAG_UNITS = 21; // height of the letters, world units

/** Trails behind bodies that dash. */
export class Trails {
  #points = Array.from({ length: MAX_SLOTS }, () => new Float32Array(TRAIL_POINTS * 2));
  #counts = new Uint8Array(MAX_SLOTS);
  #heads = new Uint8Array(MAX_SLOTS);
  #sinceMs = 0;

  clear() {
    this.#counts.fill(0);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import('./sprites.js').Sprites} sprites
   * @param {import('./frame-view.js').InterpolatedBodies} bodies
   * @param {Played[]} players @param {Place} place @param {number} elapsedMs
   */
  draw(context, sprites, bodies, players, place, elapsedMs) {
    this.#sinceMs += elapsedMs;
    const step = this.#sinceMs >= TRAIL_STEP_MS;
    if (step) this.#sinceMs %= TRAIL_STEP_MS;
    context.globalCompositeOperation = 'lighter';
    for (const { slot, index } of players) {
      if (slot >= MAX_SLOTS) continue;
      if (step) this.#update(slot, index, bodies);
      const count = this.#counts[slot];
      if (count === 0 || index < 0) continue;
      const light = sprites.light(sprites.slotColor(slot));
      const points = this.#points[slot];
      for (let k = 0; k < count; k++) {
        const p = ((this.#heads[slot] + TRAIL_POINTS - k) % TRAIL_POINTS) * 2;
        const left = 1 - k / TRAIL_POINTS;
        const size = bodies.a[index] * 2.1 * (0.35 + 0.65 * left) * place.scale;
        context.globalAlpha = 0.32 * left;
        const x = place.x + points[p] * place.scale - size / 2;
        const y = place.y + points[p + 1] * place.scale - size / 2;
        sprites.copy(context, light, x, y, size, size);
      }
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  }

  /** @param {number} slot @param {number} index @param {import('./frame-view.js').InterpolatedBodies} bodies */
  #update(slot, index, bodies) {
    if (index < 0) {
      this.#counts[slot] = 0;
    } else if (bodies.state[index] & BODY_STATE.boost) {
      this.#heads[slot] = (this.#heads[slot] + 1) % TRAIL_POINTS;
      this.#points[slot][this.#heads[slot] * 2] = bodies.x[index];
      this.#points[slot][this.#heads[slot] * 2 + 1] = bodies.y[index];
      this.#counts[slot] = Math.min(TRAIL_POINTS, this.#counts[slot] + 1);
    } else if (this.#counts[slot] > 0) this.#counts[slot]--;
  }
}

/** Shapes and names over the bodies of players; bots have a shape only. Each is painted once. */
export class NameTags {
  /** @type {HTMLCanvasElement[]} */
  #tags = [];
  /** @type {(string | null)[]} */
  #names = [];
  /** @type {readonly string[]} */
  #colors = [];
  /** @type {readonly string[]} */
  #shapes = [];
  #scale = 1;

  /**
   * Sets the names.
   * @param {(string | null)[]} names by slot, null for bots
   * @param {readonly string[]} colors of the tags, by slot
   * @param {readonly string[]} shapes the colours of the players, which have the shapes, by slot
   */
  set(names, colors, shapes) {
    this.#names = names;
    this.#colors = colors;
    this.#shapes = shapes;
    this.resize(this.#scale);
  }

  /** Repaints the names for a scale. @param {number} scale px per world unit */
  resize(scale) {
    this.#scale = scale;
    this.#tags = this.#names.map((name, slot) =>
      paintTag(name ?? '', this.#colors[slot], this.#shapes[slot], TAG_UNITS * scale),
    );
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import('./frame-view.js').InterpolatedBodies} bodies
   * @param {Played[]} players @param {Place} place
   */
  draw(context, bodies, players, place) {
    for (const { slot, index } of players) {
      const tag = this.#tags[slot];
      if (!tag || index < 0 || bodies.state[index] & BODY_STATE.falling) continue;
      const x = place.x + bodies.x[index] * place.scale - tag.width / 2;
      const top = place.y + (bodies.y[index] - bodies.a[index] * 1.25) * place.scale - tag.height;
      const below = place.y + (bodies.y[index] + bodies.a[index] * 1.25) * place.scale;
      const edge = context.canvas.width - tag.width;
      context.drawImage(
        tag,
        Math.round(Math.max(0, Math.min(edge, x))),
        Math.round(top < place.y ? below : top),
      );
    }
  }
}

/**
 * @param {string} name @param {string} color @param {string} shape @param {number} size px @returns {HTMLCanvasElement}
 */
function paintTag(name, color, shape, size) {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!context) return canvas;
  const font = `700 ${size}px ${FONT}`;
  context.font = font;
  const shapeSize = name ? 1.15 * size : 0.5 * size;
  canvas.width = Math.ceil(context.measureText(name).width + shapeSize + size * 0.9);
  canvas.height = Math.ceil(size * 1.4);
  context.font = font;
  context.globalAlpha = 0.88;
  roundedRect(context, 0, 0, canvas.width, canvas.height, size * 0.45);
  fillPath(context, color);
  context.globalAlpha = 1;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = contrastColor(color);
  const shapeX = name ? size * 0.85 : canvas.width / 2;
  fillShape(context, shape, shapeX, canvas.height / 2, size * 0.42);
  context.fillText(name, (canvas.width + shapeSize) / 2, canvas.height * 0.54);
  return canvas;
}
