/** Colours of a match's slots, and colour arithmetic for sprites. */

import { PLAYER_COLORS } from '../../match/player-colors.js';

const HEX = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i;
const GREY = '8a8fa3';

/**
 * Parses a colour.
 * @param {string} color '#rgb' or '#rrggbb'; other values give grey
 * @returns {[number, number, number]} red, green, blue, 0..255
 */
export function toRgb(color) {
  const [, digits = GREY] = HEX.exec(color) ?? [];
  const number = parseInt(digits.length === 3 ? digits.replace(/./g, '$&$&') : digits, 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

/**
 * Mixes two colours.
 * @param {string} from @param {string} to
 * @param {number} share 0 gives `from`, 1 gives `to`
 * @returns {string} '#rrggbb'
 */
export function mix(from, to, share) {
  const b = toRgb(to);
  const mixed = toRgb(from).map((value, i) => Math.round(value + (b[i] - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Mixes a colour with white. @param {string} color @param {number} share of white, 0..1 */
export const lighten = (color, share) => mix(color, '#ffffff', share);

/** Mixes a colour with black. @param {string} color @param {number} share of black, 0..1 */
export const darken = (color, share) => mix(color, '#000000', share);

/** Returns a colour with an opacity, as rgba(). @param {string} color @param {number} alpha 0..1 */
export const withAlpha = (color, alpha) => `rgba(${toRgb(color).join(', ')}, ${alpha})`;

/**
 * Returns black or white, whichever has the higher contrast to a colour (WCAG relative luminance).
 * @param {string} color
 */
export function contrastColor(color) {
  const [r, g, b] = toRgb(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.22 ? '#0b0a1e' : '#ffffff';
}

/**
 * Assigns a colour to each slot of a match. Players keep their own colour unless an earlier slot has the
 * same one; other slots get unused colours.
 * @param {import('./types.js').Slot[]} slots
 * @returns {string[]} by slot, PLAYER_COLORS.length entries
 */
export function slotColors(slots) {
  /** @type {string[]} */
  const colors = [];
  const used = new Set();
  for (const { slot, player } of slots) {
    if (!player || used.has(player.color) || !(slot < PLAYER_COLORS.length)) continue;
    colors[slot] = player.color;
    used.add(player.color);
  }
  for (let slot = 0; slot < PLAYER_COLORS.length; slot++) {
    if (colors[slot]) continue;
    const own = PLAYER_COLORS[slot];
    const color = used.has(own) ? (PLAYER_COLORS.find((each) => !used.has(each)) ?? own) : own;
    colors[slot] = color;
    used.add(color);
  }
  return colors;
}
