/** What a body is made of, checked before it gets into a world. */
import { PitvError } from '../errors.js';
import { SHAPE } from './layout.js';

/** Positions, sizes and speeds may be this large: far beyond any screen, and a double still has nine digits left for fractions. */
const LIMIT = 1e7;
const LEAST_MASS = 1e-6;

/**
 * @typedef {object} BodyOptions
 * @property {number} shape one of SHAPE, but none
 * @property {number} kind 0..255, the game's own
 * @property {number} [owner] 0..255, default 255: no owner
 * @property {number} x of the middle of a circle or box, the first end of a segment; world units
 * @property {number} y
 * @property {number} [vx] world units a second, default 0
 * @property {number} [vy]
 * @property {number} [radius] of a circle, 0 and up
 * @property {number} [halfWidth] of a box, 0 and up
 * @property {number} [halfHeight]
 * @property {number} [x2] a segment's other end
 * @property {number} [y2]
 * @property {number} [mass] default: the area, at least 1; a segment's: Infinity, which is immovable
 * @property {number} [restitution] 0 (no bounce) .. 4, default 1 (elastic)
 * @property {boolean} [sensor] reported, never pushed; default false
 * @property {number} [angle] 0..255, 1/256 turns; for the looks only
 * @property {number} [state] 0..255, the game's own
 */

/** One for all: a round of a thousand bodies begins within a tick, and leaves no garbage. */
const described = {
  ...{ shape: 0, kind: 0, owner: 0, x: 0.5, y: 0.5, vx: 0.5, vy: 0.5, a: 0.5, b: 0.5 },
  ...{ invMass: 0.5, restitution: 0.5, sensor: false, angle: 0, state: 0 },
};

/**
 * @param {BodyOptions} options
 * @returns {Readonly<typeof described>} the same object each time: what it says is true until the next call
 * @throws {PitvError} PITV_BODY_INVALID, which says which field is wrong
 */
export function describeBody(options) {
  const { shape, kind = 0, owner = 255, x, y, vx = 0, vy = 0 } = options;
  const { restitution = 1, sensor = false, angle = 0, state = 0 } = options;
  let a;
  let b = 0;
  let area = Infinity;
  number('x', x, -LIMIT, LIMIT);
  number('y', y, -LIMIT, LIMIT);
  number('vx', vx, -LIMIT, LIMIT);
  number('vy', vy, -LIMIT, LIMIT);
  number('restitution', restitution, 0, 4);
  byte('kind', kind);
  byte('owner', owner);
  byte('angle', angle);
  byte('state', state);
  if (shape === SHAPE.circle) {
    a = number('radius', options.radius, 0, LIMIT);
    area = Math.PI * a * a;
  } else if (shape === SHAPE.box) {
    a = number('halfWidth', options.halfWidth, 0, LIMIT);
    b = number('halfHeight', options.halfHeight, 0, LIMIT);
    area = 4 * a * b;
  } else if (shape === SHAPE.segment) {
    a = number('x2', options.x2, -LIMIT, LIMIT) - x;
    b = number('y2', options.y2, -LIMIT, LIMIT) - y;
  } else {
    throw invalid(`shape must be one of SHAPE's circle, box or segment, not ${shape}`);
  }
  const mass = options.mass ?? Math.max(1, area);
  if (typeof mass !== 'number' || !(mass >= LEAST_MASS)) {
    throw invalid(`mass must be a number, ${LEAST_MASS} or more, not ${mass}`);
  }
  described.shape = shape;
  described.kind = kind;
  described.owner = owner;
  described.x = x;
  described.y = y;
  described.vx = vx;
  described.vy = vy;
  described.a = a;
  described.b = b;
  described.invMass = mass === Infinity ? 0 : 1 / mass;
  described.restitution = restitution;
  described.sensor = sensor;
  described.angle = angle;
  described.state = state;
  return described;
}

/** @param {string} problem */
function invalid(problem) {
  return new PitvError('PITV_BODY_INVALID', `A body's ${problem}.`);
}

/**
 * @param {string} name @param {number | undefined} value @param {number} least @param {number} most
 * @returns {number}
 */
function number(name, value, least, most) {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw invalid(`${name} must be a number from ${least} to ${most}, not ${value}`);
}

/** @param {string} name @param {number} value */
function byte(name, value) {
  if (Number.isInteger(value) && value >= 0 && value <= 255) return;
  throw invalid(`${name} must be a whole number from 0 to 255, not ${value}`);
}
