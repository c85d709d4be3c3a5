/**
 * Narrow phase: whether two bodies overlap, along which normal, how deep. Exact for each pair of
 * shapes. To touch is not to overlap. Segments have no thickness: two of them that cross are
 * reported with depth 0.
 *
 * The functions answer by their return value and, when true, by `hit`: a module's own variable,
 * since a tick allocates nothing. The normal points from body i to body j.
 */
import { SHAPE } from './layout.js';

export const hit = { nx: 0, ny: 0, depth: 0 };

/** @typedef {Pick<import('./layout.js').Memory, 'shape' | 'x' | 'y' | 'a' | 'b'>} Shapes */

/**
 * @param {Shapes} memory
 * @param {number} i id @param {number} j id
 * @returns {boolean} whether i and j overlap
 */
export function overlap(memory, i, j) {
  const { shape } = memory;
  const first = shape[i];
  const second = shape[j];
  if (first <= second) return ordered(memory, first, second, i, j);
  const overlaps = ordered(memory, second, first, j, i);
  hit.nx = -hit.nx;
  hit.ny = -hit.ny;
  return overlaps;
}

/**
 * @param {Shapes} shapes
 * @param {number} first shape of i @param {number} second shape of j, not less than first
 * @param {number} i @param {number} j
 */
function ordered({ x, y, a, b }, first, second, i, j) {
  const dx = x[j] - x[i];
  const dy = y[j] - y[i];
  if (first === SHAPE.circle) {
    if (second === SHAPE.circle) return circleCircle(dx, dy, a[i], a[j]);
    if (second === SHAPE.box) return circleBox(dx, dy, a[i], a[j], b[j]);
    return circleSegment(dx, dy, a[i], a[j], b[j]);
  }
  if (first === SHAPE.box) {
    if (second === SHAPE.box) return boxBox(dx, dy, a[i], b[i], a[j], b[j]);
    return boxSegment(dx, dy, a[i], b[i], a[j], b[j]);
  }
  return segmentSegment(dx, dy, a[i], b[i], a[j], b[j]);
}

/** @param {number} nx @param {number} ny @param {number} depth */
function found(nx, ny, depth) {
  hit.nx = nx;
  hit.ny = ny;
  hit.depth = depth;
  return true;
}

/** @param {number} dx @param {number} dy @param {number} ri @param {number} rj */
function circleCircle(dx, dy, ri, rj) {
  const reach = rj + ri;
  const distance2 = dx * dx + dy * dy;
  if (!(distance2 < reach * reach)) return false;
  const distance = Math.sqrt(distance2);
  if (!(distance > 0)) return found(1, 0, reach);
  return found(dx / distance, dy / distance, reach - distance);
}

/** @param {number} dx @param {number} dy @param {number} r @param {number} hw @param {number} hh */
function circleBox(dx, dy, r, hw, hh) {
  const outX = (dx < 0 ? -dx : dx) - hw;
  const outY = (dy < 0 ? -dy : dy) - hh;
  const signX = dx < 0 ? -1 : 1;
  const signY = dy < 0 ? -1 : 1;
  if (outX < 0 && outY < 0) {
    // The centre is inside: out by the nearest side.
    return outX > outY ? found(signX, 0, r - outX) : found(0, signY, r - outY);
  }
  const awayX = outX > 0 ? outX : 0;
  const awayY = outY > 0 ? outY : 0;
  const distance2 = awayX * awayX + awayY * awayY;
  if (!(distance2 < r * r)) return false;
  const distance = Math.sqrt(distance2);
  if (!(distance > 0)) return outX > outY ? found(signX, 0, r) : found(0, signY, r);
  return found((signX * awayX) / distance, (signY * awayY) / distance, r - distance);
}

/** @param {number} dx @param {number} dy @param {number} r @param {number} ax @param {number} ay */
function circleSegment(dx, dy, r, ax, ay) {
  // (dx, dy) leads from the centre to the segment's first end.
  const length2 = ax * ax + ay * ay;
  let nearX = dx;
  let nearY = dy;
  if (length2 > 0) {
    const along = (-dx * ax + -dy * ay) / length2;
    const t = along > 0 ? (along < 1 ? along : 1) : 0;
    nearX += ax * t;
    nearY += ay * t;
  }
  const distance2 = nearX * nearX + nearY * nearY;
  if (!(distance2 < r * r)) return false;
  const distance = Math.sqrt(distance2);
  if (distance > 0) return found(nearX / distance, nearY / distance, r - distance);
  const length = Math.sqrt(length2);
  return length > 0 ? found(-ay / length, ax / length, r) : found(1, 0, r);
}

/**
 * @param {number} dx @param {number} dy
 * @param {number} wi @param {number} hi @param {number} wj @param {number} hj half extents
 */
function boxBox(dx, dy, wi, hi, wj, hj) {
  const depthX = wi + wj - (dx < 0 ? -dx : dx);
  const depthY = hi + hj - (dy < 0 ? -dy : dy);
  if (!(depthX > 0 && depthY > 0)) return false;
  return depthX < depthY ? found(dx < 0 ? -1 : 1, 0, depthX) : found(0, dy < 0 ? -1 : 1, depthY);
}

/**
 * Separating axes: x, y, and the segment's normal.
 * @param {number} dx @param {number} dy from the box's centre to the segment's first end
 * @param {number} hw @param {number} hh @param {number} ax @param {number} ay
 */
function boxSegment(dx, dy, hw, hh, ax, ay) {
  const halfX = ax * 0.5;
  const halfY = ay * 0.5;
  const middleX = dx + halfX;
  const middleY = dy + halfY;
  const depthX = hw + (halfX < 0 ? -halfX : halfX) - (middleX < 0 ? -middleX : middleX);
  const depthY = hh + (halfY < 0 ? -halfY : halfY) - (middleY < 0 ? -middleY : middleY);
  if (!(depthX > 0 && depthY > 0)) return false;
  if (depthX < depthY) found(middleX < 0 ? -1 : 1, 0, depthX);
  else found(0, middleY < 0 ? -1 : 1, depthY);
  const length = Math.sqrt(ax * ax + ay * ay);
  if (!(length > 0)) return true;
  const nx = -ay / length;
  const ny = ax / length;
  const away = middleX * nx + middleY * ny;
  const reach = hw * (nx < 0 ? -nx : nx) + hh * (ny < 0 ? -ny : ny);
  const depth = reach - (away < 0 ? -away : away);
  if (!(depth > 0)) return false;
  if (depth < hit.depth) found(away < 0 ? -nx : nx, away < 0 ? -ny : ny, depth);
  return true;
}

/**
 * @param {number} dx @param {number} dy from i's first end to j's
 * @param {number} ax @param {number} ay of i @param {number} bx @param {number} by of j
 */
function segmentSegment(dx, dy, ax, ay, bx, by) {
  const cross = ax * by - ay * bx;
  if (cross === 0) return false; // parallel: they have no thickness to share
  const t = (dx * by - dy * bx) / cross;
  const u = (dx * ay - dy * ax) / cross;
  if (!(t > 0 && t < 1 && u > 0 && u < 1)) return false;
  const length = Math.sqrt(ax * ax + ay * ay);
  return cross > 0 ? found(-ay / length, ax / length, 0) : found(ay / length, -ax / length, 0);
}
