/** Random worlds for the property tests, and a brute-force search to compare with. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { overlap } from '../../app/game/contacts.js';
import { createWasmKernel } from '../../app/game/kernel.js';
import { SHAPE, World } from '../../app/game/world.js';
import { weighted } from '../fuzz/support/arbitraries.js';

const WIDTH = 320;
const HEIGHT = 180;
const CAPACITY = 64;

/** Few different values, so that bodies often coincide and touch; includes extreme values. */
const coordinate = weighted(
  [6, fc.integer({ min: -8, max: 42 }).map((n) => n * 8)],
  [6, fc.double({ min: -20, max: 340, noNaN: true })],
  [1, fc.constantFrom(0, -0, 180, 320, -1e6, 1e6, 1e7, -1e7, 5e-324)],
);
const length = weighted(
  [6, fc.double({ min: 0, max: 12, noNaN: true })],
  [4, fc.constantFrom(0, 1, 4, 8, 16)],
  [2, fc.double({ min: 0, max: 200, noNaN: true })],
  [1, fc.constantFrom(1e4, 1e7, 5e-324)],
);
const speed = fc.oneof(
  fc.constant(0),
  fc.double({ min: -900, max: 900, noNaN: true }),
  fc.constantFrom(1e7, -1e7),
);
const common = {
  kind: fc.constant(0),
  x: coordinate,
  y: coordinate,
  vx: speed,
  vy: speed,
  sensor: fc.boolean(),
  restitution: fc.constantFrom(0, 0.5, 1),
  mass: fc.constantFrom(undefined, 1, Infinity),
};

/** @param {number} shape @param {Record<string, fc.Arbitrary<number>>} size */
const bodyOf = (shape, size) => fc.record({ ...common, shape: fc.constant(shape), ...size });

const anyBody = weighted(
  [3, bodyOf(SHAPE.circle, { radius: length })],
  [1, bodyOf(SHAPE.box, { halfWidth: length, halfHeight: length })],
  [1, bodyOf(SHAPE.segment, { x2: coordinate, y2: coordinate })],
);

export const anyBodies = fc.array(anyBody, { maxLength: CAPACITY, size: 'max' });

/** The kernel of processors without SIMD. */
const plainModule = new WebAssembly.Module(
  readFileSync(new URL('../../app/game/kernel.wasm', import.meta.url)),
);
const plain = (/** @type {number} */ bytes) => createWasmKernel(bytes, plainModule);

/**
 * Creates one world for each kernel and reuses it, because a wasm memory takes 10 GB of address space.
 * @param {Partial<import('../../app/game/world.js').WorldOptions>} [options]
 */
export function worldPool(options) {
  const size = { capacity: CAPACITY, width: WIDTH, height: HEIGHT, ...options };
  const worlds = [undefined, plain].map((kernel) => {
    const world = new World({ ...size, kernel });
    return { world, fresh: world.bytes.slice() };
  });
  /** @param {import('../../app/game/body.js').BodyOptions[]} bodies */
  return (bodies) =>
    worlds.map(({ world, fresh }) => {
      world.restore(fresh);
      for (const body of bodies) world.add(body);
      return world;
    });
}

/** Finds all overlapping pairs. @param {World} world @returns {string[]} 'a-b' with a < b, sorted */
export function bruteForce(world) {
  const pairs = [];
  for (let i = 0; i < world.high; i++) {
    for (let j = i + 1; j < world.high; j++) {
      if (world.shape[i] === SHAPE.none || world.shape[j] === SHAPE.none) continue;
      if (overlap(world, i, j)) pairs.push(`${i}-${j}`);
    }
  }
  return pairs.sort();
}

/** Returns the contacts of the last step. @param {World} world @returns {string[]} 'a-b' with a < b, sorted */
export function contactsOf(world) {
  const pairs = [];
  for (let k = 0; k < world.contactCount; k++) {
    pairs.push(`${world.contactA[k]}-${world.contactB[k]}`);
  }
  return pairs.sort();
}
