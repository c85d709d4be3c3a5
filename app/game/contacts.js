/**
 * Turns candidate pairs into contacts, and resolves them as elastic collisions. Contacts are resolved
 * one by one in the order in which they were found, which is the same on every machine.
 *
 * The narrow phase tests whether two bodies overlap, and computes the normal and the depth. It is exact for each
 * pair of shapes. Bodies that only touch do not overlap. Segments have no thickness: two segments that
 * cross are reported with depth 0.
 *
 * V8 may allocate an object for a fractional number that one function passes to another, but a tick
 * must not allocate. So these functions take ids, and write the normal and depth of an overlap to `hit`.
 */
import { FLAG, SHAPE } from './layout.js';

/** Part of an overlap that one tick removes. Removing all of it at once makes heaps of bodies jitter. */
const CORRECTION = 0.5;

/**
 * Writes the contacts of the pairs that overlap.
 * @param {import('./layout.js').Memory} memory @param {number} pairCount
 * @returns {number} number of contacts
 */
export function collectContacts(memory, pairCount) {
  const { pairs, vx, vy } = memory;
  const { contactA, contactB, contactNx, contactNy, contactDepth, contactSpeed } = memory;
  let count = 0;
  for (let k = 0; k < pairCount; k++) {
    const pair = pairs[k];
    const first = pair >>> 16;
    const second = pair & 0xffff;
    const i = first < second ? first : second;
    const j = first < second ? second : first;
    if (!overlap(memory, i, j)) continue;
    const nx = hit[0];
    const ny = hit[1];
    contactA[count] = i;
    contactB[count] = j;
    contactNx[count] = nx;
    contactNy[count] = ny;
    contactDepth[count] = hit[2];
    contactSpeed[count] = (vx[i] - vx[j]) * nx + (vy[i] - vy[j]) * ny;
    count++;
  }
  return count;
}

/**
 * Pushes the bodies of each contact apart. If they approach each other, applies the impulse of a
 * collision without friction: j = -(1 + e) v / (1/mi + 1/mj), where e is the product of the two
 * restitutions.
 * @param {import('./layout.js').Memory} memory @param {number} count number of contacts
 */
export function resolveContacts(memory, count) {
  const { x, y, vx, vy, invMass, restitution, flags } = memory;
  const { contactA, contactB, contactNx, contactNy, contactDepth } = memory;
  for (let k = 0; k < count; k++) {
    const i = contactA[k];
    const j = contactB[k];
    if (((flags[i] | flags[j]) & FLAG.sensor) !== 0) continue;
    const mi = invMass[i];
    const mj = invMass[j];
    const sum = mi + mj;
    if (!(sum > 0)) continue;
    const depth = contactDepth[k];
    if (!(depth > 0)) continue;
    const nx = contactNx[k];
    const ny = contactNy[k];
    const push = (depth * CORRECTION) / sum;
    x[i] -= nx * push * mi;
    y[i] -= ny * push * mi;
    x[j] += nx * push * mj;
    y[j] += ny * push * mj;
    const approach = (vx[i] - vx[j]) * nx + (vy[i] - vy[j]) * ny;
    if (!(approach > 0)) continue;
    const impulse = ((1 + restitution[i] * restitution[j]) * approach) / sum;
    vx[i] -= nx * impulse * mi;
    vy[i] -= ny * impulse * mi;
    vx[j] += nx * impulse * mj;
    vy[j] += ny * impulse * mj;
  }
}

/** The last overlap: normal x, normal y, depth. */
export const hit = new Float64Array(3);

/**
 * The fields of a world that the tests need.
 * @typedef {Pick<import('./layout.js').Memory, 'shape' | 'x' | 'y' | 'a' | 'b'>} Bodies
 */

/**
 * Tests two bodies. If they overlap, writes `hit`; its normal points from i to j.
 * @param {Bodies} bodies @param {number} i id @param {number} j id
 * @returns {boolean} whether i and j overlap
 */
export function overlap(bodies, i, j) {
  const { shape } = bodies;
  if (shape[i] <= shape[j]) return inOrder(bodies, i, j);
  if (!inOrder(bodies, j, i)) return false;
  hit[0] = -hit[0];
  hit[1] = -hit[1];
  return true;
}

/** Tests bodies of which shape[i] <= shape[j]. @param {Bodies} bodies @param {number} i @param {number} j */
function inOrder(bodies, i, j) {
  const first = bodies.shape[i];
  const second = bodies.shape[j];
  if (first === SHAPE.circle) {
    if (second === SHAPE.circle) return circleCircle(bodies, i, j);
    return second === SHAPE.box ? circleBox(bodies, i, j) : circleSegment(bodies, i, j);
  }
  return first === SHAPE.box ? boxOther(bodies, i, j) : segmentSegment(bodies, i, j);
}

/** @param {Bodies} bodies @param {number} i @param {number} j */
function circleCircle({ x, y, a }, i, j) {
  const dx = x[j] - x[i];
  const dy = y[j] - y[i];
  const reach = a[j] + a[i];
  const distance2 = dx * dx + dy * dy;
  if (!(distance2 < reach * reach)) return false;
  const distance = Math.sqrt(distance2);
  const apart = distance > 0;
  hit[0] = apart ? dx / distance : 1;
  hit[1] = apart ? dy / distance : 0;
  hit[2] = reach - distance;
  return true;
}

/** @param {Bodies} bodies @param {number} i @param {number} j */
function circleBox({ x, y, a, b }, i, j) {
  const dx = x[j] - x[i];
  const dy = y[j] - y[i];
  const radius = a[i];
  const outX = (dx < 0 ? -dx : dx) - a[j];
  const outY = (dy < 0 ? -dy : dy) - b[j];
  const signX = dx < 0 ? -1 : 1;
  const signY = dy < 0 ? -1 : 1;
  const awayX = outX > 0 ? outX : 0;
  const awayY = outY > 0 ? outY : 0;
  const inside = outX < 0 && outY < 0;
  const distance2 = awayX * awayX + awayY * awayY;
  if (!inside && !(distance2 < radius * radius)) return false;
  const distance = Math.sqrt(distance2);
  if (distance > 0) {
    hit[0] = (signX * awayX) / distance;
    hit[1] = (signY * awayY) / distance;
    hit[2] = radius - distance;
  } else {
    // The centre is in the box or on its edge: push it out by the nearest side.
    const sideways = outX > outY;
    hit[0] = sideways ? signX : 0;
    hit[1] = sideways ? 0 : signY;
    hit[2] = radius - (sideways ? outX : outY);
  }
  return true;
}

/** @param {Bodies} bodies @param {number} i @param {number} j */
function circleSegment({ x, y, a, b }, i, j) {
  const ax = a[j];
  const ay = b[j];
  const radius = a[i];
  // From the circle's centre to the segment's first end, then to its nearest point.
  let nearX = x[j] - x[i];
  let nearY = y[j] - y[i];
  const length2 = ax * ax + ay * ay;
  if (length2 > 0) {
    const along = (-nearX * ax + -nearY * ay) / length2;
    const t = along > 0 ? (along < 1 ? along : 1) : 0;
    nearX += ax * t;
    nearY += ay * t;
  }
  const distance2 = nearX * nearX + nearY * nearY;
  if (!(distance2 < radius * radius)) return false;
  const distance = Math.sqrt(distance2);
  const length = Math.sqrt(length2);
  hit[0] = distance > 0 ? nearX / distance : length > 0 ? -ay / length : 1;
  hit[1] = distance > 0 ? nearY / distance : length > 0 ? ax / length : 0;
  hit[2] = radius - distance;
  return true;
}

/**
 * Tests a box with a box or a segment. Separating axes: x, y, and the segment's normal.
 * @param {Bodies} bodies @param {number} i @param {number} j
 */
function boxOther({ shape, x, y, a, b }, i, j) {
  const isBox = shape[j] === SHAPE.box;
  const halfX = isBox ? a[j] : a[j] * 0.5;
  const halfY = isBox ? b[j] : b[j] * 0.5;
  const dx = x[j] - x[i] + (isBox ? 0 : halfX);
  const dy = y[j] - y[i] + (isBox ? 0 : halfY);
  const depthX = a[i] + (halfX < 0 ? -halfX : halfX) - (dx < 0 ? -dx : dx);
  const depthY = b[i] + (halfY < 0 ? -halfY : halfY) - (dy < 0 ? -dy : dy);
  if (!(depthX > 0 && depthY > 0)) return false;
  const sideways = depthX < depthY;
  hit[0] = sideways ? (dx < 0 ? -1 : 1) : 0;
  hit[1] = sideways ? 0 : dy < 0 ? -1 : 1;
  hit[2] = sideways ? depthX : depthY;
  if (isBox) return true;
  const length = Math.sqrt(a[j] * a[j] + b[j] * b[j]);
  if (!(length > 0)) return true;
  const nx = -b[j] / length;
  const ny = a[j] / length;
  const away = dx * nx + dy * ny;
  const reach = a[i] * (nx < 0 ? -nx : nx) + b[i] * (ny < 0 ? -ny : ny);
  const depth = reach - (away < 0 ? -away : away);
  if (!(depth > 0)) return false;
  if (depth < hit[2]) {
    hit[0] = away < 0 ? -nx : nx;
    hit[1] = away < 0 ? -ny : ny;
    hit[2] = depth;
  }
  return true;
}

/** @param {Bodies} bodies @param {number} i @param {number} j */
function segmentSegment({ x, y, a, b }, i, j) {
  const cross = a[i] * b[j] - b[i] * a[j];
  if (cross === 0) return false; // parallel segments have no common area
  const dx = x[j] - x[i];
  const dy = y[j] - y[i];
  const t = (dx * b[j] - dy * a[j]) / cross;
  const u = (dx * b[i] - dy * a[i]) / cross;
  if (!(t > 0 && t < 1 && u > 0 && u < 1)) return false;
  const length = Math.sqrt(a[i] * a[i] + b[i] * b[i]);
  hit[0] = (cross > 0 ? -b[i] : b[i]) / length;
  hit[1] = (cross > 0 ? a[i] : -a[i]) / length;
  hit[2] = 0;
  return true;
}
