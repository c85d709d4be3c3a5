import { inkOn } from './color.js';
import { BODY_STATE } from './frame.js';
import { roundedRect } from './looks.js';

/**
 * What shows who is who: a name over each person's body, and a trail behind what dashes.
 *
 * @typedef {{slot: number, index: number, bot: boolean}} Played a slot and its body in the scene
 * @typedef {{x: number, y: number, scale: number}} Place world to px
 */

const TRAIL_POINTS = 14;
const TRAIL_STEP_MS = 16;
const SLOTS = 16;
const TAG_UNITS = 21; // height of the letters, world units

export class Trails {
  #points = Array.from({ length: SLOTS }, () => new Float32Array(TRAIL_POINTS * 2));
  #counts = new Uint8Array(SLOTS);
  #heads = new Uint8Array(SLOTS);
  #sinceMs = 0;

  clear() {
    this.#counts.fill(0);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import('./sprites.js').Sprites} sprites
   * @param {import('./frame-view.js').Scene} scene
   * @param {Played[]} players @param {Place} place @param {number} elapsedMs
   */
  draw(context, sprites, scene, players, place, elapsedMs) {
    this.#sinceMs += elapsedMs;
    const step = this.#sinceMs >= TRAIL_STEP_MS;
    if (step) this.#sinceMs %= TRAIL_STEP_MS;
    context.globalCompositeOperation = 'lighter';
    for (const { slot, index } of players) {
      if (slot >= SLOTS) continue;
      if (step) this.#note(slot, index, scene);
      const count = this.#counts[slot];
      if (count === 0 || index < 0) continue;
      const light = sprites.light(sprites.slotColor(slot));
      const points = this.#points[slot];
      for (let k = 0; k < count; k++) {
        const p = ((this.#heads[slot] + TRAIL_POINTS - k) % TRAIL_POINTS) * 2;
        const left = 1 - k / TRAIL_POINTS;
        const size = scene.a[index] * 2.1 * (0.35 + 0.65 * left) * place.scale;
        context.globalAlpha = 0.32 * left;
        context.drawImage(
          sprites.atlas.canvas,
          light.x,
          light.y,
          light.width,
          light.height,
          place.x + points[p] * place.scale - size / 2,
          place.y + points[p + 1] * place.scale - size / 2,
          size,
          size,
        );
      }
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = 'source-over';
  }

  /** @param {number} slot @param {number} index @param {import('./frame-view.js').Scene} scene */
  #note(slot, index, scene) {
    if (index < 0) {
      this.#counts[slot] = 0;
    } else if (scene.state[index] & BODY_STATE.boost) {
      this.#heads[slot] = (this.#heads[slot] + 1) % TRAIL_POINTS;
      this.#points[slot][this.#heads[slot] * 2] = scene.x[index];
      this.#points[slot][this.#heads[slot] * 2 + 1] = scene.y[index];
      this.#counts[slot] = Math.min(TRAIL_POINTS, this.#counts[slot] + 1);
    } else if (this.#counts[slot] > 0) this.#counts[slot]--;
  }
}

/** Names over bodies, each painted once. */
export class NameTags {
  /** @type {(HTMLCanvasElement | null)[]} */
  #tags = [];
  /** @type {(string | null)[]} */
  #names = [];
  /** @type {readonly string[]} */
  #colors = [];
  #scale = 1;

  /** @param {(string | null)[]} names by slot @param {readonly string[]} colors by slot */
  set(names, colors) {
    this.#names = names;
    this.#colors = colors;
    this.resize(this.#scale);
  }

  /** @param {number} scale px per world unit */
  resize(scale) {
    this.#scale = scale;
    this.#tags = this.#names.map((name, slot) =>
      name ? paintTag(name, this.#colors[slot], TAG_UNITS * scale) : null,
    );
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import('./frame-view.js').Scene} scene
   * @param {Played[]} players @param {Place} place
   */
  draw(context, scene, players, place) {
    for (const { slot, index, bot } of players) {
      const tag = this.#tags[slot];
      if (!tag || bot || index < 0 || scene.state[index] & BODY_STATE.falling) continue;
      const x = place.x + scene.x[index] * place.scale - tag.width / 2;
      const top = place.y + (scene.y[index] - scene.a[index] * 1.25) * place.scale - tag.height;
      const below = place.y + (scene.y[index] + scene.a[index] * 1.25) * place.scale;
      const edge = context.canvas.width - tag.width;
      context.drawImage(
        tag,
        Math.round(Math.max(0, Math.min(edge, x))),
        Math.round(top < place.y ? below : top),
      );
    }
  }
}

/** @param {string} name @param {string} color @param {number} size px @returns {HTMLCanvasElement} */
function paintTag(name, color, size) {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (!context) return canvas;
  const font = `700 ${size}px system-ui, "Segoe UI", Roboto, sans-serif`;
  context.font = font;
  canvas.width = Math.ceil(context.measureText(name).width + size * 0.9);
  canvas.height = Math.ceil(size * 1.4);
  context.font = font;
  context.globalAlpha = 0.88;
  context.fillStyle = color;
  roundedRect(context, 0, 0, canvas.width, canvas.height, size * 0.45);
  context.fill();
  context.globalAlpha = 1;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = inkOn(color);
  context.fillText(name, canvas.width / 2, canvas.height * 0.54);
  return canvas;
}
