import { contrastColor } from './color.js';
import { BODY_STATE } from '../../game/frame.js';
import { FONT, contextOf, fillPath, fitText, roundedRect } from './canvas.js';
import { fillShape } from './player-shapes.js';

/**
 * Marks the players: a shape and a name over each player's body, and a trail behind a dashing body.
 *
 * @typedef {{slot: number, index: number}} Played a slot and the index of its body
 * @typedef {{x: number, y: number, scale: number}} Place converts world units to px
 * @typedef {{name: string, color: string, shape: string}} Tag see NameTags.set()
 */

const TRAIL_POINTS = 14;
const TRAIL_STEP_MS = 16;
const TAG_UNITS = 21; // height of the letters, world units
/** Of a name, in heights of the letters: fourteen emojis. Some letters are as wide as a sentence. */
const MAX_NAME_WIDTH = 20;

/** Trails behind bodies that dash. */
export class Trails {
  /** By slot, newest first. @type {{x: number, y: number}[][]} */
  #points = [];
  #sinceMs = 0;

  clear() {
    this.#points = [];
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
      const points = (this.#points[slot] ??= []);
      if (step) moveTrail(points, index, bodies);
      if (points.length === 0 || index < 0) continue;
      const light = sprites.light(sprites.slotColor(slot));
      for (const [k, point] of points.entries()) {
        const left = 1 - k / TRAIL_POINTS;
        const size = bodies.a[index] * 2.1 * (0.35 + 0.65 * left) * place.scale;
        context.globalAlpha = 0.32 * left;
        const x = place.x + point.x * place.scale - size / 2;
        const y = place.y + point.y * place.scale - size / 2;
        sprites.copy(context, light, x, y, size, size);
      }
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  }
}

/**
 * Moves a trail on: it grows while the body dashes, and then loses its end.
 * @param {{x: number, y: number}[]} points
 * @param {number} index of the body, -1 for none @param {import('./frame-view.js').InterpolatedBodies} bodies
 */
function moveTrail(points, index, { state, x, y }) {
  const isBoosted = index >= 0 && (state[index] & BODY_STATE.boost) !== 0;
  if (isBoosted) points.unshift({ x: x[index], y: y[index] });
  if (index < 0) points.length = 0;
  else if (!isBoosted || points.length > TRAIL_POINTS) points.pop();
}

/** Shapes and names over the bodies of players; bots have a shape only. Each is painted once. */
export class NameTags {
  /** @type {HTMLCanvasElement[]} */
  #tags = [];
  /** By slot. @type {Tag[]} */
  #players = [];
  #scale = 1;

  /**
   * Sets the names.
   * @param {(string | null)[]} names by slot, null for bots
   * @param {readonly string[]} colors of the tags, by slot
   * @param {readonly string[]} shapes the colours of the players, which have the shapes, by slot
   */
  set(names, colors, shapes) {
    this.#players = names.map((name, slot) => {
      return { name: name ?? '', color: colors[slot], shape: shapes[slot] };
    });
    this.resize(this.#scale);
  }

  /** Repaints the names for a scale. @param {number} scale px per world unit */
  resize(scale) {
    this.#scale = scale;
    this.#tags = this.#players.map((player) => paintTag(player, TAG_UNITS * scale));
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

/** @param {Tag} tag @param {number} size px @returns {HTMLCanvasElement} */
function paintTag({ name: fullName, color, shape }, size) {
  const canvas = document.createElement('canvas');
  const context = contextOf(canvas);
  const font = `700 ${size}px ${FONT}`;
  context.font = font;
  const name = fitText(context, fullName, MAX_NAME_WIDTH * size);
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
