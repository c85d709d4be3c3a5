/** The names that a game can use for what screens draw and play, and the numbers of its players and teams. */

/** Slots of a match. */
export const MAX_PLAYERS = 8;
/** Teams of a match. */
export const MIN_TEAMS = 2;
export const MAX_TEAMS = 4;

/** Colours of teams by name: the same as those of players. */
export const TEAM_COLORS = Object.freeze({
  red: '#ff4d4d',
  blue: '#4da3ff',
  yellow: '#ffd24d',
  green: '#5fe07a',
  purple: '#c77dff',
  orange: '#ff9f43',
  cyan: '#3ddbd9',
  pink: '#ff7ac6',
});

/** How a body is drawn; web/lib/looks.js has their pictures. */
export const LOOKS = Object.freeze([
  'ball',
  'orb',
  'ship',
  'shard',
  'bullet',
  'ring',
  'floor',
  'disc',
  'glow',
  'box',
  'wall',
  'beam',
]);

/** What an event draws; see web/lib/effects.js. */
export const EFFECTS = Object.freeze(['burst', 'flash', 'ring']);

/** What an event plays; see web/lib/sound.js. */
export const SOUNDS = Object.freeze([
  'hit',
  'boom',
  'pop',
  'dash',
  'thud',
  'shot',
  'zap',
  'hurt',
  'power',
  'fanfare',
  'won',
  'move',
  'choose',
  'join',
  'count',
  'go',
]);
