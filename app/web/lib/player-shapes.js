/**
 * Shapes of players. Each colour of a player has a shape, for people who do not see colours. The
 * pages show a shape beside each name, and the canvas above each player's body.
 */
import { h, redraw, svg } from './dom.js';
import { text } from './language.js';
import { PLAYER_COLORS } from '../../match/player-colors.js';

/** By the index of the colour. Paths are in the syntax of SVG; x and y are -1..1, y points down. */
export const SHAPES = /** @type {const} */ ([
  { name: 'circle', path: 'M0-.88A.88.88 0 0 1 0 .88A.88.88 0 0 1 0-.88Z' },
  { name: 'square', path: 'M-.8-.8H.8V.8H-.8Z' },
  { name: 'triangle', path: 'M0-.92L1 .82H-1Z' },
  { name: 'diamond', path: 'M0-1L.78 0 0 1-.78 0Z' },
  { name: 'cross', path: 'M-.34-.95H.34V-.34H.95V.34H.34V.95H-.34V.34H-.95V-.34H-.34Z' },
  { name: 'star', path: 'M0-1.05L.26-.36 1-.32.43.14.62.85 0 .45-.62.85-.43.14-1-.32-.26-.36Z' },
  {
    name: 'heart',
    path: 'M0-.3C0-.56.2-.73.48-.73S1-.52 1-.24C1 .2.4.55 0 1-.4.55-1 .2-1-.24-1-.52-.76-.73-.48-.73S0-.56 0-.3Z',
  },
  { name: 'moon', path: 'M.39-.9A.95.95 0 1 0 .25.94L.55.71A.72.72 0 1 1 .4-.72Z' },
]);

/** Returns the shape of a player. @param {string} color of the player */
export const shapeOf = (color) => SHAPES[Math.max(0, PLAYER_COLORS.indexOf(color))];

/**
 * Fills a player's shape on a canvas.
 * @param {CanvasRenderingContext2D} context its fillStyle is used
 * @param {string} color of the player
 * @param {number} x @param {number} y centre, px @param {number} r px
 */
export function fillShape(context, color, x, y, r) {
  context.save();
  context.translate(x, y);
  context.scale(r, r);
  context.fill(new Path2D(shapeOf(color).path));
  context.restore();
}

/**
 * Creates an icon with a player's shape, in the colour --player. Screen readers read the shape's name.
 * @param {string} color of the player
 * @returns {SVGElement}
 */
export function shapeIcon(color) {
  const { name, path } = shapeOf(color);
  const icon = svg('svg', { class: 'shape', viewBox: '-1.1 -1.1 2.2 2.2', role: 'img' });
  icon.setAttribute('aria-label', text(`shape.${name}`));
  icon.append(svg('path', { d: path }));
  return icon;
}

/** Creates a player's shape and name, which can be cut off. @param {string} color @param {string} name */
export const playerLabel = (color, name) => [shapeIcon(color), h('span.cut', name)];

/**
 * Shows a player's shape and name, if they differ from those shown.
 * @param {Element} element @param {{name: string, color: string}} player
 */
export const showPlayer = (element, { name, color }) =>
  redraw(element, [name, color], () => playerLabel(color, name));
