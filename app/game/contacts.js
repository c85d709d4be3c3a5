/**
 * From pairs to contacts, and what contacts do: elastic response. Contacts are answered one after
 * the other in the order they were found, which is the same everywhere.
 */
import { FLAG } from './layout.js';
import { hit, overlap } from './overlap.js';

/** The share of an overlap that one tick takes away; all of it at once makes heaps of bodies jitter. */
const CORRECTION = 0.5;

/**
 * Keeps the pairs that do overlap.
 * @param {import('./layout.js').Memory} memory @param {number} pairCount
 * @returns {number} contacts
 */
export function collect(memory, pairCount) {
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
 * Pushes the bodies of each contact apart and, when they approach each other, gives them the
 * impulse of a collision without friction: j = -(1 + e) v / (1/mi + 1/mj), e the product of the
 * two restitutions.
 * @param {import('./layout.js').Memory} memory @param {number} count contacts
 */
export function respond(memory, count) {
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
