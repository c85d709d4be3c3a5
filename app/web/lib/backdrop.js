import { darken, mix, withAlpha } from './color.js';
import { circle, contextOf, fillPath } from './canvas.js';
import { seededRandom } from './random.js';
import { WORDS } from '../../game/frame-difference.js';

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
  const context = contextOf(canvas, { alpha: false });
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
  /** The bodies of the last picture, and the indexes of players' bodies among them. @type {Int16Array} */
  #words = new Int16Array(0);
  #played = new Set();
  /** Pictures since the last decision, and the smallest number of bodies at rest in them. */
  #pictures = 0;
  #resting = Infinity;

  /**
   * Compares the bodies with those of the last picture.
   * @param {Int16Array} words of the frame @param {number} count of the bodies that are drawn
   * @param {Set<number>} played indexes of players' bodies, which are painted later
   * @param {boolean} isShaken whether the picture is at another place
   * @returns {number} how many of the first bodies have to be painted now for take(); 0 if nothing has to be
   */
  compare(words, count, played, isShaken) {
    const before = this.#words;
    const playedBefore = this.#played;
    let resting = 0;
    for (; resting < count; resting++) {
      const isPlayed = played.has(resting);
      if (isPlayed !== playedBefore.has(resting)) break;
      if (!isPlayed && !isSame(resting, words, before)) break;
    }
    this.#words = words;
    this.#played = played;
    if (resting < this.count) this.clear();
    this.#resting = Math.min(this.#resting, resting);
    if (++this.#pictures < REST_PICTURES || isShaken) return 0;
    const due = this.#resting > this.#painted ? this.#resting : 0;
    if (due > 0) this.#painted = due;
    this.#pictures = 0;
    this.#resting = Infinity;
    return due;
  }

  /** Copies a picture that has only the first bodies. @param {HTMLCanvasElement} picture @param {number} count */
  take(picture, count) {
    this.count = count;
    if (count === 0) return;
    const { canvas } = this;
    canvas.width = picture.width;
    canvas.height = picture.height;
    contextOf(canvas, { alpha: false }).drawImage(picture, 0, 0);
  }

  /** Forgets the bodies, because they look different now. */
  clear() {
    this.count = this.#painted = 0;
  }
}

/** Compares a body in two frames. @param {number} i its index @param {Int16Array} a @param {Int16Array} b */
function isSame(i, a, b) {
  for (let w = i * WORDS; w < (i + 1) * WORDS; w++) if (a[w] !== b[w]) return false;
  return true;
}
