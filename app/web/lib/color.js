/** Colours: those of a match's slots, and the few sums sprites need. */

import { PLAYER_COLORS } from './player-colors.js';

const HEX = /^#?([0-9a-f]{6})$/i;
const SHORT_HEX = /^#?([0-9a-f])([0-9a-f])([0-9a-f])$/i;

/**
 * @param {string} color '#rgb' or '#rrggbb'; anything else is grey
 * @returns {[number, number, number]} red, green, blue, 0..255
 */
export function toRgb(color) {
  const short = SHORT_HEX.exec(color);
  const hex = short ? short.slice(1).map((digit) => digit + digit) : (HEX.exec(color) ?? [])[1];
  const number = parseInt(Array.isArray(hex) ? hex.join('') : (hex ?? '8a8fa3'), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

/**
 * @param {string} from @param {string} to
 * @param {number} share 0 = `from`, 1 = `to`
 * @returns {string} '#rrggbb'
 */
export function mix(from, to, share) {
  const a = toRgb(from);
  const b = toRgb(to);
  return (
    '#' +
    a
      .map((value, i) =>
        Math.round(value + (b[i] - value) * share)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')
  );
}

/** @param {string} color @param {number} share 0..1 towards white */
export function lighten(color, share) {
  return mix(color, '#ffffff', share);
}

/** @param {string} color @param {number} share 0..1 towards black */
export function darken(color, share) {
  return mix(color, '#000000', share);
}

/** @param {string} color @param {number} alpha 0..1 */
export function withAlpha(color, alpha) {
  return `rgba(${toRgb(color).join(', ')}, ${alpha})`;
}

/**
 * Black or white, whichever reads better on a colour (WCAG relative luminance).
 * @param {string} color
 */
export function inkOn(color) {
  const [r, g, b] = toRgb(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.22 ? '#0b0a1e' : '#ffffff';
}

/**
 * The colour of each slot of a match: a person keeps their own; a colour that is taken already, and
 * those of bots, come from what is left.
 * @param {import('./types.js').Slot[]} slots
 * @returns {string[]} PLAYER_COLORS.length of them, by slot
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
