import assert from 'node:assert/strict';
import test from 'node:test';
import { Canvas } from '../../app/clips/canvas/canvas.js';

/** @param {number} width @param {number} height */
function picture(width, height) {
  const canvas = new Canvas();
  canvas.width = width;
  canvas.height = height;
  return { canvas, context: canvas.getContext() };
}

/** @param {Canvas} canvas @param {number} x @param {number} y @returns {number[]} r, g, b, a */
const at = ({ pixels, width }, x, y) => [
  ...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
];

/** Sums up the coverage. @param {Canvas} canvas @returns {number} px */
function area({ pixels }) {
  let sum = 0;
  for (let i = 3; i < pixels.length; i += 4) sum += pixels[i];
  return sum / 255;
}

test('a circle covers its area at any position', () => {
  for (const [x, y, r] of [
    [50, 50, 30],
    [50.3, 49.7, 3.5],
    [50, 50, 0.8],
  ]) {
    const { canvas, context } = picture(100, 100);
    context.fillStyle = '#fff';
    context.beginPath();
    context.arc(x, y, r, 0, Math.PI * 2);
    context.fill();
    const share = area(canvas) / (Math.PI * r * r);
    assert.ok(share > 0.93 && share < 1.03, `${r}: ${share}`);
  }
});

test('shapes are clipped at the edges of the canvas', () => {
  const { canvas, context } = picture(20, 20);
  context.fillStyle = '#ff0000';
  context.fillRect(-10, 5, 100, 3);
  assert.equal(area(canvas), 60);
  assert.deepEqual(at(canvas, 19, 5), [255, 0, 0, 255]);
  assert.deepEqual(at(canvas, 0, 8), [0, 0, 0, 0]);
  context.fillRect(15.5, 10, 50, 1);
  assert.deepEqual(at(canvas, 15, 10).at(-1), 128);
  assert.equal(area(canvas), 64.5 + 0.5 / 255);
});

test('the stroke of a circle and of a line has the line width', () => {
  const { canvas, context } = picture(100, 100);
  context.strokeStyle = '#00ff00';
  context.lineWidth = 4;
  context.beginPath();
  context.arc(50, 50, 30, 0, Math.PI * 2);
  context.stroke();
  const ring = area(canvas);
  assert.ok(Math.abs(ring - 2 * Math.PI * 30 * 4) < 12, `${ring}`);
  assert.deepEqual(at(canvas, 50, 50), [0, 0, 0, 0], 'it is hollow');
  context.beginPath();
  context.moveTo(10, 50);
  context.lineTo(90, 50);
  context.stroke();
  assert.deepEqual(at(canvas, 50, 50), [0, 255, 0, 255]);
  assert.deepEqual(at(canvas, 50, 53), [0, 0, 0, 0]);
});

test('gradients interpolate colours in the coordinates in which they were made', () => {
  const { canvas, context } = picture(100, 100);
  const line = context.createLinearGradient(0, 0, 10, 0);
  line.addColorStop(0, '#000000');
  line.addColorStop(1, '#ffffff');
  context.fillStyle = line;
  context.setTransform(10, 0, 0, 10, 0, 0);
  context.fillRect(0, 0, 10, 10);
  const row = [5, 50, 95].map((x) => at(canvas, x, 50)[0]);
  assert.ok(row[0] < 25 && Math.abs(row[1] - 128) < 5 && row[2] > 230, `${row}`);
  const circle = context.createRadialGradient(4, 4, 0, 5, 5, 5);
  circle.addColorStop(0, '#ff0000');
  circle.addColorStop(1, 'rgba(0, 0, 255, 0)');
  const other = picture(100, 100);
  other.context.setTransform(10, 0, 0, 10, 0, 0);
  other.context.fillStyle = circle;
  other.context.fillRect(0, 0, 10, 10);
  assert.ok(at(other.canvas, 40, 40)[0] > 240, 'red at the first stop');
  assert.equal(at(other.canvas, 2, 2)[3], 0, 'transparent outside');
});

test('the composite operation lighter adds colours, source-over covers', () => {
  const { canvas, context } = picture(4, 4);
  context.fillStyle = '#804020';
  context.fillRect(0, 0, 4, 4);
  context.globalCompositeOperation = 'lighter';
  context.fillRect(0, 0, 2, 4);
  assert.deepEqual(at(canvas, 0, 0), [255, 128, 64, 255]);
  context.globalCompositeOperation = 'source-over';
  context.globalAlpha = 0.5;
  context.fillStyle = '#000000';
  context.fillRect(2, 0, 2, 4);
  assert.deepEqual(at(canvas, 3, 0), [64, 32, 16, 255]);
});

test('drawImage() copies, scales and rotates pictures', () => {
  const sprite = picture(8, 4);
  sprite.context.fillStyle = '#ff0000';
  sprite.context.fillRect(0, 0, 4, 4);
  sprite.context.fillStyle = '#0000ff';
  sprite.context.fillRect(4, 0, 4, 4);
  const { canvas, context } = picture(40, 40);
  context.drawImage(sprite.canvas, 2, 3);
  assert.deepEqual(
    [at(canvas, 2, 3), at(canvas, 9, 6)],
    [
      [255, 0, 0, 255],
      [0, 0, 255, 255],
    ],
  );
  assert.equal(area(canvas), 32);
  context.clearRect();
  context.drawImage(sprite.canvas, 4, 0, 4, 4, 10, 10, 20, 20);
  assert.deepEqual(at(canvas, 20, 20), [0, 0, 255, 255], 'a part, larger');
  assert.ok(Math.abs(area(canvas) - 400) < 45, `${area(canvas)}`);
  context.clearRect();
  context.setTransform(0, 1, -1, 0, 20, 20); // a quarter turn clockwise
  context.drawImage(sprite.canvas, 0, 0, 8, 4, -4, -2, 8, 4);
  assert.deepEqual(
    [at(canvas, 20, 17), at(canvas, 20, 22)],
    [
      [255, 0, 0, 255],
      [0, 0, 255, 255],
    ],
  );
});

test('clip() restricts drawing until restore()', () => {
  const { canvas, context } = picture(20, 20);
  context.save();
  context.beginPath();
  context.rect(5, 5, 4, 4);
  context.clip();
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, 20, 20);
  assert.equal(area(canvas), 16);
  context.restore();
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, 20, 20);
  assert.equal(area(canvas), 400);
});

test('text has the measured width, and letters have holes', () => {
  const { canvas, context } = picture(200, 60);
  context.font = '700 40px system-ui';
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  context.fillStyle = '#ffffff';
  context.fillText('O', 100, 30);
  const { width } = context.measureText('O');
  assert.equal(at(canvas, 100, 30)[3], 0, 'the middle of an O');
  const columns = Array.from({ length: 200 }, (_, x) => x).filter((x) =>
    Array.from({ length: 60 }, (_, y) => y).some((y) => at(canvas, x, y)[3] > 0),
  );
  const drawn = columns[columns.length - 1] - columns[0];
  assert.ok(drawn > width * 0.75 && drawn <= width, `${drawn} of ${width}`);
  assert.ok(context.measureText('é').width === context.measureText('e\u0301').width);
});

test('each letter of other scripts has its own glyph, and a missing one is a box', () => {
  /** @param {string} text @returns {string} its pixels */
  const drawn = (text) => {
    const { canvas, context } = picture(80, 24);
    context.font = '16px sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = '#ffffff';
    context.fillText(text, 2, 12);
    return String(canvas.pixels);
  };
  const box = drawn('\u{e000}');
  const letters = [...'中国花김철さタ王伟สДΩא🚀♥'];
  const forms = new Set(letters.map(drawn));
  assert.equal(forms.size, letters.length, 'all glyphs differ');
  assert.ok(!forms.has(box));
  const { context } = picture(1, 1);
  context.font = '16px sans-serif';
  assert.equal(context.measureText('中国').width, 32);
  // A vertical, a horizontal and a box: 中 has its stroke in the middle, from top to bottom.
  const { canvas, context: large } = picture(64, 64);
  large.font = '64px sans-serif';
  large.fillStyle = '#ffffff';
  large.fillText('中', 0, 56);
  for (const y of [2, 20, 40, 60]) assert.equal(at(canvas, 30, y)[3], 255, `${y}`);
  assert.equal(at(canvas, 20, 2)[3], 0);
  assert.equal(
    context.measureText('ที่').width,
    context.measureText('ท').width,
    'marks have no width',
  );
});

test('Hebrew and Arabic text starts at the right', () => {
  /** @param {string} text @param {number} x0 @param {number} x1 */
  const columns = (text, x0, x1) => {
    const { canvas, context } = picture(32, 24);
    context.font = '16px sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = '#ffffff';
    context.fillText(text, 0, 12);
    return Array.from({ length: 24 }, (_, y) =>
      Array.from({ length: x1 - x0 }, (__, x) => at(canvas, x0 + x, y)[3] > 128),
    );
  };
  assert.deepEqual(columns('של', 8, 16), columns('ש', 0, 8));
  assert.deepEqual(columns('aב', 0, 8), columns('a', 0, 8));
});
