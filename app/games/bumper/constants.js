/** Constants shared by the parts of Bumper: the arena, kinds of bodies, events. */
export const SLOTS = 8;
export const CAPACITY = 160;
export const CENTRE_X = 800;
export const CENTRE_Y = 450;
export const FULL_RADIUS = 430;
export const SMALL_RADIUS = 130;
export const PLAYER_RADIUS = 32;

/** Kinds of bodies, indexes into view.kinds. */
export const KIND = Object.freeze({ player: 0, loose: 1, boulder: 2, post: 3, floor: 4, rim: 5 });
/** Types of events, indexes into view.events. */
export const EVENT = Object.freeze({
  hit: 0,
  knockOut: 1,
  dash: 2,
  brace: 3,
  survivor: 4,
  ping: 5,
});
