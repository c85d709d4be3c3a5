import { darken, mix, withAlpha } from './color.js';
import { circle, fillPath } from './canvas.js';
import { seededRandom } from './random.js';

/** Paints the background of a game, once for each size. It is then copied to every picture. */

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
  const context = canvas.getContext('2d');
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
