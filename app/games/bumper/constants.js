/** Constants shared by the parts of Bumper: the arena, kinds of bodies, events. */
export const SLOTS = 8;
export const CAPACITY = 160;
export const CENTRE_X = 800;
export const CENTRE_Y = 450;
export const FULL_RADIUS = 430;
export const SMALL_RADIUS = 130;
export const PLAYER_RADIUS = 32;

/** Kinds of bodies, and their indexes by name. */
export const KINDS = [
  { name: 'player', look: 'ball', color: 'owner', glow: true },
  { name: 'loose', look: 'ball', color: '#b8c1d9' },
  { name: 'boulder', look: 'ball', color: '#6d7690' },
  { name: 'post', look: 'orb', color: '#ff9f43', glow: true },
  { name: 'floor', look: 'disc', color: '#1d2744' },
  { name: 'rim', look: 'ring', color: '#5b7cff', glow: true },
];
export const KIND = Object.fromEntries(KINDS.map(({ name }, i) => [name, i]));
/** Types of events, and their indexes by name. */
export const EVENTS = [
  { name: 'hit', effect: 'flash', sound: 'hit', rumbleMs: 40 },
  { name: 'knockOut', effect: 'burst', sound: 'boom', rumbleMs: 350 },
  { name: 'dash', effect: 'ring', sound: 'dash', rumbleMs: 0 },
  { name: 'brace', effect: 'ring', sound: 'thud', rumbleMs: 0 },
  { name: 'survivor', effect: 'burst', sound: 'fanfare', rumbleMs: 200 },
  { name: 'ping', effect: 'flash', sound: 'pop', rumbleMs: 0 },
];
export const EVENT = Object.fromEntries(EVENTS.map(({ name }, i) => [name, i]));
