import { text } from './language.js';
import { shapeOf } from './player-shapes.js';

/** Creates the icon of a player's shape. */

const SVG = 'http://www.w3.org/2000/svg';

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
  element.replaceChildren(shapeIcon(color), name);
}
