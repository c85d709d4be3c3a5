import { circle, fillGradient, fillPath, polygon, roundedRect, stroke } from './canvas.js';
import { darken, lighten, withAlpha } from './color.js';

/**
 * Paints bodies. A look paints a sprite around the origin. Sprites are painted once for each colour and
 * size and then copied, so that a slow TV can draw thousands of bodies.
 *
 * @typedef {CanvasRenderingContext2D} Context
 * @typedef {object} Look
 * @property {'circle' | 'box' | 'line' | 'halo'} shape circle: sprite by radius; box: sprite by
 *   both half extents; line: stroked from x, y along a, b; halo: a circle, drawn without a sprite
 * @property {boolean} [turns] whether the sprite, which points along +x, is rotated by the body's angle
 * @property {number} [variants] number of variants, chosen by the body's id
 * @property {(context: Context, rx: number, ry: number, color: string, variant: number) => void} [paint]
 */

const TURN = Math.PI * 2;
/** Radius below which details are left out, px. */
const TINY_RADIUS = 6;
/** Limits for large boxes, px. */
const MAX_CORNER = 24;
const MAX_BORDER = 5;

/** @param {Context} context @param {number} r @param {string} color */
function paintBall(context, r, color) {
  const body = context.createRadialGradient(-r * 0.35, -r * 0.4, r * 0.05, 0, 0, r);
  circle(context, r * 0.97);
  fillGradient(context, body, { 0: lighten(color, 0.55), 0.45: color, 1: darken(color, 0.5) });
  stroke(context, Math.max(1, r * 0.06), withAlpha(darken(color, 0.65), 0.9));
  if (r < 7) return;
  context.beginPath();
  context.ellipse(-r * 0.32, -r * 0.45, r * 0.28, r * 0.16, -0.7, 0, TURN);
  fillPath(context, 'rgba(255, 255, 255, 0.5)');
}

/** @param {Context} context @param {number} r @param {string} color */
function paintOrb(context, r, color) {
  const stops = { 0: '#ffffff', 0.35: lighten(color, 0.5), 0.8: color, 1: darken(color, 0.35) };
  circle(context, r);
  fillGradient(context, context.createRadialGradient(0, 0, 0, 0, 0, r), stops);
}

/** @param {Context} context @param {number} r @param {string} color */
function paintShip(context, r, color) {
  polygon(context, [r, 0, -r * 0.72, r * 0.78, -r * 0.38, 0, -r * 0.72, -r * 0.78]);
  const hull = context.createLinearGradient(-r, 0, r, 0);
  fillGradient(context, hull, { 0: darken(color, 0.45), 0.6: color, 1: lighten(color, 0.65) });
  context.lineJoin = 'round';
  stroke(context, Math.max(1.2, r * 0.09), lighten(color, 0.55));
  context.beginPath();
  context.ellipse(r * 0.12, 0, r * 0.26, r * 0.15, 0, 0, TURN);
  fillPath(context, 'rgba(255, 255, 255, 0.85)');
}

/** Returns the corners of a broken stone. They depend only on the variant, so that a body keeps its shape.
 * @param {number} r @param {number} variant */
function shardPoints(r, variant) {
  const corners = 6 + (variant % 3);
  const points = [];
  for (let i = 0; i < corners; i++) {
    const reach = r * (0.78 + 0.22 * Math.abs(Math.sin(variant * 12.9 + i * 78.2)));
    const at = (i / corners) * TURN + 0.25 * Math.sin(variant * 4.1 + i * 3.3);
    points.push(Math.cos(at) * reach, Math.sin(at) * reach);
  }
  return points;
}

/** @param {Context} context @param {number} r @param {number} _ry @param {string} color @param {number} variant */
function paintShard(context, r, _ry, color, variant) {
  const points = shardPoints(r * 0.97, variant);
  polygon(context, points);
  // Too small for a gradient and an edge.
  if (r < TINY_RADIUS) return fillPath(context, lighten(color, 0.15));
  const stone = context.createLinearGradient(-r, -r, r, r);
  fillGradient(context, stone, { 0: lighten(color, 0.35), 0.5: color, 1: darken(color, 0.5) });
  context.lineJoin = 'round';
  stroke(context, Math.max(1, r * 0.08), lighten(color, 0.4));
  if (r < 9) return;
  context.beginPath();
  for (let i = 0; i < points.length; i += 4) {
    context.moveTo(r * 0.1, -r * 0.1);
    context.lineTo(points[i] * 0.94, points[i + 1] * 0.94);
  }
  stroke(context, Math.max(0.75, r * 0.035), withAlpha(lighten(color, 0.6), 0.35));
}

/** @param {Context} context @param {number} r @param {string} color */
function paintBullet(context, r, color) {
  const tail = context.createLinearGradient(-r, 0, r, 0);
  context.beginPath();
  context.ellipse(0, 0, r, r * 0.45, 0, 0, TURN);
  fillGradient(context, tail, { 0: withAlpha(color, 0), 0.55: color, 1: '#ffffff' });
}

/** @param {Context} context @param {number} rx @param {number} ry @param {string} color */
function paintBox(context, rx, ry, color) {
  const side = Math.min(rx, ry);
  roundedRect(context, -rx, -ry, rx * 2, ry * 2, Math.min(MAX_CORNER, side * 0.3));
  const face = context.createLinearGradient(0, -ry, 0, ry);
  fillGradient(context, face, { 0: lighten(color, 0.3), 1: darken(color, 0.4) });
  const border = Math.max(1, Math.min(MAX_BORDER, side * 0.1));
  stroke(context, border, withAlpha(lighten(color, 0.5), 0.7));
}

/** Paints the floor of an arena: dark, lit from the centre.
 * @param {Context} context @param {number} r @param {string} color */
function paintFloor(context, r, color) {
  const light = context.createRadialGradient(0, 0, 0, 0, 0, r);
  circle(context, r);
  fillGradient(context, light, { 0: lighten(color, 0.14), 0.75: color, 1: darken(color, 0.25) });
  for (const share of [0.33, 0.66]) {
    circle(context, r * share);
    stroke(context, Math.max(1, r * 0.004), withAlpha(lighten(color, 0.5), 0.16));
  }
}

/** Paints eyes that look along +x, on a ball that a player steers.
 * @param {Context} context @param {number} r radius of the ball */
export function paintEyes(context, r) {
  for (const side of [-1, 1]) {
    context.save();
    context.translate(r * 0.34, side * r * 0.36);
    circle(context, r * 0.27);
    fillPath(context, '#ffffff');
    context.translate(r * 0.1, 0);
    circle(context, r * 0.15);
    fillPath(context, '#14102e');
    context.restore();
  }
}

/** @param {Context} context @param {number} r @param {string} color */
function paintDisc(context, r, color) {
  circle(context, r);
  fillPath(context, color);
}

/** @param {Context} context @param {number} r @param {string} color */
export function paintGlow(context, r, color) {
  const light = context.createRadialGradient(0, 0, 0, 0, 0, r);
  const fade = (/** @type {number} */ alpha) => withAlpha(color, alpha);
  circle(context, r);
  fillGradient(context, light, { 0: fade(1), 0.35: fade(0.42), 0.7: fade(0.1), 1: fade(0) });
}

/** @type {Readonly<Record<string, Look>>} */
export const LOOKS = Object.freeze({
  ball: { shape: 'circle', paint: (c, r, _, color) => paintBall(c, r, color) },
  orb: { shape: 'circle', paint: (c, r, _, color) => paintOrb(c, r, color) },
  ship: { shape: 'circle', turns: true, paint: (c, r, _, color) => paintShip(c, r, color) },
  shard: { shape: 'circle', turns: true, variants: 5, paint: paintShard },
  bullet: { shape: 'circle', turns: true, paint: (c, r, _, color) => paintBullet(c, r, color) },
  ring: { shape: 'halo' },
  floor: { shape: 'halo', paint: (c, r, _, color) => paintFloor(c, r, color) },
  disc: { shape: 'circle', paint: (c, r, _, color) => paintDisc(c, r, color) },
  glow: { shape: 'circle', paint: (c, r, _, color) => paintGlow(c, r, color) },
  box: { shape: 'box', paint: paintBox },
  wall: { shape: 'line' },
  beam: { shape: 'line' },
});

/**
 * Finds a look. An unknown name gives a ball or a box.
 * @param {string} name
 * @param {number} b second extent of the body; 0 for a circle
 * @returns {Look}
 */
export const lookOf = (name, b) => LOOKS[name] ?? (b === 0 ? LOOKS.ball : LOOKS.box);
