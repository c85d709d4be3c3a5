import { fitText } from '../lib/fit-text.js';
import { fillShape } from '../lib/player-shapes.js';
import { saveFile } from '../lib/save-file.js';

/** Draws the result of a match as a picture, and shares or saves it. */

/** px of both sides. */
const SIZE = 1080;
const MARGIN = 90;
const MAX_LINES = 8;
const LINE_HEIGHT = 84;
const FIRST_LINE_Y = 350;

/**
 * @typedef {object} ResultPicture
 * @property {string} game its title
 * @property {string} headline
 * @property {{name: string, color: string, score: number, winner: boolean}[]} lines best first
 */

/**
 * Shares the picture. Browsers share files on pages with HTTPS only; elsewhere, and where the player's browser shares
 * no files, the picture is downloaded.
 * @param {ResultPicture} picture
 */
export async function shareResult(picture) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = SIZE;
  drawResult(canvas, picture);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) return;
  const file = new File([blob], 'pitv-result.png', { type: blob.type });
  await saveFile(file);
}

/**
 * Draws the picture.
 * @param {HTMLCanvasElement} canvas @param {ResultPicture} picture
 */
function drawResult(canvas, { game, headline, lines }) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const font = getComputedStyle(document.body).fontFamily;
  const right = SIZE - MARGIN;
  /**
   * @param {string} text @param {number} x @param {number} y @param {string} style weight and size
   * @param {string} color @param {number} width
   */
  const write = (text, x, y, style, color, width) => {
    context.font = `${style} ${font}`;
    context.fillStyle = color;
    context.fillText(fitText(context, text, width), x, y);
  };
  const background = context.createLinearGradient(0, 0, 0, SIZE);
  background.addColorStop(0, '#2a1d6b');
  background.addColorStop(1, '#0b0822');
  context.fillStyle = background;
  context.fillRect(0, 0, SIZE, SIZE);
  context.textBaseline = 'middle';
  write(game, MARGIN, 130, '600 52px', '#b9b2e6', SIZE - 2 * MARGIN);
  write(headline, MARGIN, 226, '800 84px', '#ffffff', SIZE - 2 * MARGIN);
  lines.slice(0, MAX_LINES).forEach(({ name, color, score, winner }, i) => {
    const y = FIRST_LINE_Y + i * LINE_HEIGHT;
    if (winner) {
      context.fillStyle = '#ffffff1f';
      context.fillRect(
        MARGIN - 24,
        y - LINE_HEIGHT / 2 + 4,
        SIZE - 2 * MARGIN + 48,
        LINE_HEIGHT - 8,
      );
    }
    context.fillStyle = color;
    fillShape(context, color, MARGIN + 26, y, 26);
    context.textAlign = 'right';
    write(String(score), right, y, '700 48px', '#ffffff', 240);
    context.textAlign = 'left';
    write(name, MARGIN + 80, y, `${winner ? 700 : 500} 48px`, '#ffffff', right - MARGIN - 340);
  });
  write('pitv', MARGIN, SIZE - 60, '800 40px', '#7d74b8', 300);
}
