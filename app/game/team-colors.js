/** Checks that the colours of teams can be told from the background and from each other. */
import { TEAM_COLORS } from './vocabulary.js';

/** Contrast that graphics need (WCAG 2.2, 1.4.11). */
const MIN_CONTRAST = 3;
/** Distance of two colours as points in a cube of 255 x 255 x 255. Red and orange are 83 apart, cyan and green 101. */
const MIN_DISTANCE = 100;

/** @typedef {{name: string, color: string}} Team */

/** Returns the colour of a team. @param {string} color a name or '#rrggbb' @returns {string} '#rrggbb' */
export const teamColor = (color) => Reflect.get(TEAM_COLORS, color) ?? color;

/** @param {string} color '#rrggbb' @returns {number[]} red, green, blue, 0..255 */
const channelsOf = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

/**
 * Returns the relative luminance of a colour. A polynomial replaces the power of 2.4 in the definition (error < 0.003),
 * because powers may differ between machines.
 * @param {string} color '#rrggbb' @returns {number} 0..1
 */
function luminance(color) {
  const [r, g, b] = channelsOf(color).map((value) => {
    const share = value / 255;
    return share * (share * (share * 0.305306011 + 0.682171111) + 0.012522878);
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Returns the contrast of two colours (WCAG). @param {string} p @param {string} q @returns {number} 1..21 */
function contrast(p, q) {
  const [dark, light] = [luminance(p), luminance(q)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** @param {string} p @param {string} q '#rrggbb' @returns {number} 0..442 */
function distance(p, q) {
  const other = channelsOf(q);
  return Math.sqrt(
    channelsOf(p).reduce((sum, value, i) => sum + (value - other[i]) * (value - other[i]), 0),
  );
}

/**
 * Finds a team whose name or colour is hard to recognize.
 * @param {readonly Team[]} teams @param {string} background '#rrggbb'
 * @returns {string | undefined} a sentence that names the field
 */
export function findTeamProblem(teams, background) {
  const colors = teams.map(({ color }) => teamColor(color));
  for (const [i, color] of colors.entries()) {
    const ratio = contrast(color, background);
    if (ratio < MIN_CONTRAST) {
      return `teams[${i}].color must have a contrast of at least ${MIN_CONTRAST} to view.background, not ${ratio.toFixed(1)}.`;
    }
    for (let j = 0; j < i; j++) {
      if (teams[i].name === teams[j].name) {
        return `teams[${i}].name must not be the name of teams[${j}].`;
      }
      if (distance(color, colors[j]) < MIN_DISTANCE) {
        return `teams[${i}].color is too much like teams[${j}].color. Choose colours that differ more.`;
      }
    }
  }
  return undefined;
}
