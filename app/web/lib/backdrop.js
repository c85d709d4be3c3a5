import { darken, mix, withAlpha } from './color.js';
import { circle, fillPath } from './canvas.js';
import { seededRandom } from './random.js';

/** The background of a game, with what rests on it. Both are painted rarely, and copied to every picture. */

const STARS = 140;
/** A fixed seed, so that the stars are always the same. */
const STARS_SEED = 7;
const LIGHT = '#4a4cff';

/**
 * Paints the background.
 * @param {HTMLCanvasElement} canvas
 * @param {import('./types.js').GameView} view
 * @param {{x: number, y: number, scale: number}} place position of the world on the canvas
 */
export function paintBackdrop(canvas, view, place) {
  const context = canvas.getContext('2d', { alpha: false }); // it is copied faster
  if (!context) return;
  const { width, height } = canvas;
  const middleX = place.x + (view.width * place.scale) / 2;
  const middleY = place.y + (view.height * place.scale) / 2;
  const reach = Math.hypot(width, height) / 2;
  const light = context.createRadialGradient(middleX, middleY, 0, middleX, middleY, reach);
  light.addColorStop(0, mix(view.background, LIGHT, 0.16));
  light.addColorStop(0.6, view.background);
  light.addColorStop(1, darken(view.background, 0.55));
  context.fillStyle = light;
  context.fillRect(0, 0, width, height);
  const random = seededRandom(STARS_SEED);
  for (let i = 0; i < STARS; i++) {
    const size = (0.5 + random() * random() * 2) * place.scale;
    const color = withAlpha('#cfd6ff', 0.08 + random() * 0.3);
    circle(context, Math.max(0.5, size), random() * width, random() * height);
    fillPath(context, color);
  }
}

/** Pictures for which bodies must not have changed. */
const REST_PICTURES = 30;
/** Bodies that are compared, and those of them whose values are stored in a picture. */
const MAX_BODIES = 1024;
const STORED_AT_ONCE = 64;
/** Numbers stored for a body: what it is, its place, its size and its angle. */
const VALUES = 6;
/** Stands for a player's body, which is painted later. */
const PLAYED = -1;

/**
 * The first bodies of a game as long as they rest: walls, a road, the lines of a pitch. They are copied to every
 * picture with the background, as painting their paths takes most of the time of a slow TV.
 */
export class Ground {
  canvas = document.createElement('canvas');
  /** Number of the bodies on it. */
  count = 0;
  /** Number of bodies at rest when it was painted: tiny ones among them are not on it. */
  #painted = 0;
  #values = new Float64Array(MAX_BODIES * VALUES);
  /** Pictures since the last decision, and the smallest number of bodies at rest in them. */
  #pictures = 0;
  #resting = MAX_BODIES;

  /**
   * Compares the bodies with those of the last picture.
   * @param {import('./frame-view.js').InterpolatedBodies} bodies @param {Set<number>} played indexes of players' bodies
   * @param {boolean} isShaken whether the picture is at another place
   * @returns {number} how many of the first bodies have to be painted now for take(); 0 if nothing has to be
   */
  compare(bodies, played, isShaken) {
    const values = this.#values;
    const end = Math.min(bodies.count, MAX_BODIES);
    const { kind, owner, state, x, y, a, b, angle } = bodies;
    let stored = 0;
    let resting = end;
    for (let i = 0, v = 0; i < end && stored < STORED_AT_ONCE; i++, v += VALUES) {
      const what = played.has(i) ? PLAYED : kind[i] | (owner[i] << 8) | (state[i] << 16);
      const isSame =
        values[v] === what &&
        (what === PLAYED ||
          (values[v + 1] === x[i] &&
            values[v + 2] === y[i] &&
            values[v + 3] === a[i] &&
            values[v + 4] === b[i] &&
            values[v + 5] === angle[i]));
      if (isSame && stored === 0) continue;
      if (stored++ === 0) resting = i;
      values[v] = what;
      values[v + 1] = x[i];
      values[v + 2] = y[i];
      values[v + 3] = a[i];
      values[v + 4] = b[i];
      values[v + 5] = angle[i];
    }
    if (resting < this.count) this.clear();
    this.#resting = Math.min(this.#resting, resting);
    if (++this.#pictures < REST_PICTURES || isShaken) return 0;
    const due = this.#resting > this.#painted ? this.#resting : 0;
    if (due > 0) this.#painted = due;
    this.#pictures = 0;
    this.#resting = MAX_BODIES;
    return due;
  }

  /** Copies a picture that has only the first bodies. @param {HTMLCanvasElement} picture @param {number} count */
  take(picture, count) {
    this.count = count;
    if (count === 0) return;
    const { canvas } = this;
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext('2d', { alpha: false })?.drawImage(picture, 0, 0);
  }

  /** Forgets the bodies, because they look different now. */
  clear() {
    this.count = this.#painted = 0;
  }
}
