/**
 * Turns candidate pairs into contacts, and resolves them as elastic collisions. Contacts are resolved
 * one by one in the order in which they were found, which is the same on every machine.
 */
import { FLAG } from './layout.js';
import { hit, overlap } from './overlap.js';

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
