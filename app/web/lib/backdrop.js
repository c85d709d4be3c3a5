import { darken, mix, withAlpha } from './color.js';

/** What lies behind a game: painted once for a size, copied for each picture. */

const STARS = 140;
const LIGHT = '#4a4cff';

/** The same stars each time: a small linear congruential generator (Numerical Recipes).
 * @param {number} seed */
function generator(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/**
 * @param {HTMLCanvasElement} canvas painted all over
 * @param {import('./types.js').GameView} view
 * @param {{x: number, y: number, scale: number}} place of the world on it
 */
export function paintBackdrop(canvas, view, place) {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { width, height } = canvas;
  const middleX = place.x + (view.width * place.scale) / 2;
  const middleY = place.y + (view.height * place.scale) / 2;
  const light = context.createRadialGradient(
    middleX,
    middleY,
    0,
    middleX,
    middleY,
    Math.hypot(width, height) / 2,
  );
  light.addColorStop(0, mix(view.background, LIGHT, 0.16));
  light.addColorStop(0.6, view.background);
  light.addColorStop(1, darken(view.background, 0.55));
  context.fillStyle = light;
  context.fillRect(0, 0, width, height);
  const random = generator(7);
  for (let i = 0; i < STARS; i++) {
    const size = (0.5 + random() * random() * 2) * place.scale;
    context.fillStyle = withAlpha('#cfd6ff', 0.08 + random() * 0.3);
    context.beginPath();
    context.arc(random() * width, random() * height, Math.max(0.5, size), 0, Math.PI * 2);
    context.fill();
  }
}
