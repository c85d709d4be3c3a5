/** Adds bodies to a world. */
import { PitvError } from '../errors.js';
import { FLAG, SHAPE, WORD } from './layout.js';

/** Limit of positions, sizes and speeds. A double of this size still has nine decimal places. */
const MAX_MAGNITUDE = 1e7;
const MIN_MASS = 1e-6;

/**
 * @typedef {object} BodyOptions
 * @property {number} shape one of SHAPE except `none`
 * @property {number} kind 0..255, defined by the game
 * @property {number} [owner] 0..255, default 255: no owner
 * @property {number} x centre of a circle or box, first end of a segment; world units
 * @property {number} y
 * @property {number} [vx] world units a second, default 0
 * @property {number} [vy]
 * @property {number} [radius] of a circle, 0 or more
 * @property {number} [halfWidth] of a box, 0 or more
 * @property {number} [halfHeight]
 * @property {number} [x2] second end of a segment
 * @property {number} [y2]
 * @property {number} [mass] default: the area, at least 1; Infinity for a segment. A body of mass Infinity is immovable
 * @property {number} [restitution] 0 (no bounce) .. 4, default 1 (elastic)
 * @property {boolean} [sensor] contacts are reported but push nothing; default false
 * @property {number} [angle] 0..255, 1/256 turns; only for drawing
 * @property {number} [state] 0..255, defined by the game
 */

/**
 * Checks the options of a body, fills in the defaults, and writes the fields to the lowest free slot.
 * @param {import('./layout.js').Memory} memory @param {BodyOptions} options
 * @returns {number} its id (slot)
 * @throws {PitvError} PITV_BODY_INVALID, its message names the invalid field; PITV_WORLD_FULL
 */
export function addBody(memory, options) {
  const { shape, kind = 0, owner = 255, x, y, vx = 0, vy = 0 } = options;
  const { restitution = 1, sensor = false, angle = 0, state = 0 } = options;
  let a;
  let b = 0;
  let area = Infinity;
  checkNumber('x', x, -MAX_MAGNITUDE, MAX_MAGNITUDE);
  checkNumber('y', y, -MAX_MAGNITUDE, MAX_MAGNITUDE);
  checkNumber('vx', vx, -MAX_MAGNITUDE, MAX_MAGNITUDE);
  checkNumber('vy', vy, -MAX_MAGNITUDE, MAX_MAGNITUDE);
  checkNumber('restitution', restitution, 0, 4);
  checkByte('kind', kind);
  checkByte('owner', owner);
  checkByte('angle', angle);
  checkByte('state', state);
  if (shape === SHAPE.circle) {
    a = checkNumber('radius', options.radius, 0, MAX_MAGNITUDE);
    area = Math.PI * a * a;
  } else if (shape === SHAPE.box) {
    a = checkNumber('halfWidth', options.halfWidth, 0, MAX_MAGNITUDE);
    b = checkNumber('halfHeight', options.halfHeight, 0, MAX_MAGNITUDE);
    area = 4 * a * b;
  } else if (shape === SHAPE.segment) {
    a = checkNumber('x2', options.x2, -MAX_MAGNITUDE, MAX_MAGNITUDE) - x;
    b = checkNumber('y2', options.y2, -MAX_MAGNITUDE, MAX_MAGNITUDE) - y;
  } else {
    throw invalid(`shape must be SHAPE.circle, SHAPE.box or SHAPE.segment, not ${shape}`);
  }
  const mass = options.mass ?? Math.max(1, area);
  if (typeof mass !== 'number' || !(mass >= MIN_MASS)) {
    throw invalid(`mass must be a number, ${MIN_MASS} or more, not ${mass}`);
  }
  const { header } = memory;
  const id = memory.shape.indexOf(SHAPE.none, header[WORD.lowestFree]);
  if (id < 0) {
    const { length } = memory.shape;
    throw new PitvError('PITV_WORLD_FULL', `The world is full (${length} bodies).`);
  }
  header[WORD.count]++;
  header[WORD.lowestFree] = id + 1;
  if (id >= header[WORD.high]) header[WORD.high] = id + 1;
  memory.shape[id] = shape;
  memory.kind[id] = kind;
  memory.owner[id] = owner;
  memory.x[id] = x;
  memory.y[id] = y;
  memory.vx[id] = vx;
  memory.vy[id] = vy;
  memory.a[id] = a;
  memory.b[id] = b;
  memory.invMass[id] = mass === Infinity ? 0 : 1 / mass;
  memory.restitution[id] = restitution;
  memory.flags[id] = sensor ? FLAG.sensor : 0;
  memory.angle[id] = angle;
  memory.state[id] = state;
  return id;
}

/** @param {string} problem */
function invalid(problem) {
  return new PitvError('PITV_BODY_INVALID', `A body's ${problem}.`);
}

/** @param {string} name @param {number | undefined} value @param {number} min @param {number} max */
function checkNumber(name, value, min, max) {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw invalid(`${name} must be a number from ${min} to ${max}, not ${value}`);
}

/** @param {string} name @param {number} value */
function checkByte(name, value) {
  if (Number.isInteger(value) && value >= 0 && value <= 255) return;
  throw invalid(`${name} must be a whole number from 0 to 255, not ${value}`);
}
