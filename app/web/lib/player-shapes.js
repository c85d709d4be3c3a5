/**
 * Shapes of players. Each colour of a player has a shape, for people who do not see colours. The
 * pages show a shape beside each name, and the canvas above each player's body.
 */
import { fill } from './dom.js';
import { text } from './language.js';
import { PLAYER_COLORS } from '../../match/player-colors.js';

/**
 * @typedef {object} Shape
 * @property {'circle' | 'square' | 'triangle' | 'diamond' | 'cross' | 'star' | 'heart' | 'moon'} name
 * @property {readonly [number, number][]} points corners; x and y are -1..1, y points down
 */

const SVG = 'http://www.w3.org/2000/svg';
const TURN = Math.PI * 2;

/** Returns points on a curve. @param {number} count @param {(at: number) => [number, number]} point at: 0..1 */
const curve = (count, point) => Array.from({ length: count }, (_none, i) => point(i / count));

/** @param {number} at 0..1 @param {number} r @returns {[number, number]} */
const onCircle = (at, r) => [Math.sin(at * TURN) * r, -Math.cos(at * TURN) * r];

/** Half the width and the length of the cross's arms. */
const ARM = 0.34;
const REACH = 0.95;
/** The angle from the middle of an arm to its corner. */
const CORNER = Math.atan2(ARM, REACH) / TURN;

/** The points of a crescent: the outer arc from the upper to the lower tip, the inner arc back. */
const MOON = Object.freeze(
  /** @type {[number, number][]} */ ([
    ...curve(24, (at) => onCircle(0.05 - at * 0.6, 0.95)).map(([x, y]) => [x + 0.1, y]),
    ...curve(16, (at) => onCircle(0.47 + at * 0.56, 0.72)).map(([x, y]) => [x + 0.42, y]),
  ]),
);

/** By the index of the colour. @type {readonly Shape[]} */
export const SHAPES = Object.freeze([
  { name: 'circle', points: curve(24, (at) => onCircle(at, 0.88)) },
  { name: 'square', points: curve(4, (at) => onCircle(at + 1 / 8, 0.8 * Math.SQRT2)) },
  {
    name: 'triangle',
    points: [
      [0, -0.92],
      [1, 0.82],
      [-1, 0.82],
    ],
  },
  { name: 'diamond', points: curve(4, (at) => [0.78 * onCircle(at, 1)[0], onCircle(at, 1)[1]]) },
  {
    name: 'cross',
    points: [0, 1 / 4, 1 / 2, 3 / 4].flatMap((at) => [
      onCircle(at - CORNER, Math.hypot(ARM, REACH)),
      onCircle(at + CORNER, Math.hypot(ARM, REACH)),
      onCircle(at + 1 / 8, ARM * Math.SQRT2),
    ]),
  },
  { name: 'star', points: curve(10, (at) => onCircle(at, Math.round(at * 10) % 2 ? 0.45 : 1.05)) },
  {
    name: 'heart',
    points: curve(32, (at) => {
      const angle = at * TURN;
      const y = 13 * Math.cos(angle) - 5 * Math.cos(2 * angle) - 2 * Math.cos(3 * angle);
      return [Math.sin(angle) ** 3, -(y - Math.cos(4 * angle)) / 16.5];
    }),
  },
  { name: 'moon', points: MOON },
]);

/** Returns the shape of a player. @param {string} color of the player @returns {Shape} */
export const shapeOf = (color) => SHAPES[Math.max(0, PLAYER_COLORS.indexOf(color))];

/**
 * Fills a player's shape on a canvas.
 * @param {Pick<CanvasRenderingContext2D, 'beginPath' | 'moveTo' | 'lineTo' | 'closePath' | 'fill'>} context its
 *   fillStyle is used
 * @param {string} color of the player
 * @param {number} x @param {number} y centre, px @param {number} r px
 */
export function fillShape(context, color, x, y, r) {
  context.beginPath();
  shapeOf(color).points.forEach(([px, py], i) => {
    if (i === 0) context.moveTo(x + px * r, y + py * r);
    else context.lineTo(x + px * r, y + py * r);
  });
  context.closePath();
  context.fill();
}

/**
 * Creates an icon with a player's shape, in the colour --player. Screen readers read the shape's name.
 * @param {string} color of the player
 * @returns {SVGElement}
 */
export function shapeIcon(color) {
  const { name, points } = shapeOf(color);
  const svg = document.createElementNS(SVG, 'svg');
  const polygon = document.createElementNS(SVG, 'polygon');
  svg.setAttribute('class', 'shape');
  svg.setAttribute('viewBox', '-1.1 -1.1 2.2 2.2');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', text(`shape.${name}`));
  const corners = points.map(([x, y]) => `${x.toFixed(3)},${y.toFixed(3)}`);
  polygon.setAttribute('points', corners.join(' '));
  svg.append(polygon);
  return svg;
}

/**
 * Shows a player's shape and name, if they differ from those shown.
 * @param {Element} element @param {{name: string, color: string}} player
 */
export function showPlayer(element, { name, color }) {
  const state = `${color} ${name}`;
  if (element.getAttribute('data-player-shown') === state) return;
  element.setAttribute('data-player-shown', state);
  fill(element, shapeIcon(color), name);
}
