/** The colours of players. The TV and the pages use this file. */

/**
 * A player's colour by slot, unless the player chose another one. Eight that differ on a poor TV and at three metres,
 * and for most colour-blind people by their lightness.
 */
export const PLAYER_COLORS = Object.freeze([
  '#ff4d4d',
  '#4da3ff',
  '#ffd24d',
  '#5fe07a',
  '#c77dff',
  '#ff9f43',
  '#3ddbd9',
  '#ff7ac6',
]);
