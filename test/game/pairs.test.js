/** Compares the pairs of random worlds with those of a brute-force search, with both kernels. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { overlap } from '../../app/game/contacts.js';
import { createWasmKernel } from '../../app/game/kernel.js';
import { SHAPE, World } from '../../app/game/world.js';
import { extent } from '../support/extent.js';
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

const anyBodies = fc.array(anyBody, { maxLength: CAPACITY, size: 'max' });

/** The kernel of processors without SIMD. */
const plainModule = new WebAssembly.Module(
  readFileSync(new URL('../../app/game/kernel.wasm', import.meta.url)),
);
const plain = (/** @type {number} */ bytes) => createWasmKernel(bytes, plainModule);

/**
 * Creates one world for each kernel and reuses it, because a wasm memory takes 10 GB of address space.
 * @param {Partial<import('../../app/game/world.js').WorldOptions>} [options]
 */
function worldPool(options) {
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
function bruteForce(world) {
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
function contactsOf(world) {
  const pairs = [];
  for (let k = 0; k < world.contactCount; k++) {
    pairs.push(`${world.contactA[k]}-${world.contactB[k]}`);
  }
  return pairs.sort();
}

const RUNS = Number(process.env.PITV_TEST_RUNS ?? extent(300, 1500));

/** Runs a step with sensors only, which moves nothing. @param {World} world */
function stepWithoutResponse(world) {
  world.flags.fill(world.FLAG.sensor);
  world.step();
}

/** @type {Partial<import('../../app/game/world.js').WorldOptions>[]} */
const WORLDS = [{ border: 'none' }, { border: 'bounce' }];
for (const cellSize of [0.01, 1, 7.3, 40, 1e6]) WORLDS.push({ cellSize });

for (const options of WORLDS) {
  test(`finds exactly the pairs that brute force finds, with ${JSON.stringify(options)}`, () => {
    const make = worldPool(options);
    fc.assert(
      fc.property(anyBodies, (bodies) => {
        for (const world of make(bodies)) {
          for (let steps = 0; steps < 2; steps++) {
            stepWithoutResponse(world);
            assert.deepEqual(contactsOf(world), bruteForce(world));
          }
          assert.equal(world.contactsDropped, 0);
        }
      }),
      { numRuns: options.cellSize ? RUNS / 10 : RUNS },
    );
  });
}

test('both kernels give the same bytes and the same contacts, step by step', () => {
  const make = worldPool({ border: 'bounce', stateWords: 3 });
  fc.assert(
    fc.property(anyBodies, (bodies) => {
      const [world, plain] = make(bodies);
      for (let i = 0; i < 5; i++) {
        for (const one of [world, plain]) one.step();
        const count = plain.contactCount;
        assert.deepEqual(world.bytes, plain.bytes);
        assert.equal(world.contactCount, count);
        for (const name of /** @type {const} */ (['contactA', 'contactB', 'contactNx']))
          assert.deepEqual(world[name].subarray(0, count), plain[name].subarray(0, count));
      }
    }),
    { numRuns: RUNS },
  );
});

test('both kernels count the same number of dropped contacts', () => {
  const make = worldPool({ maxContacts: 10 });
  fc.assert(
    fc.property(anyBodies, (bodies) => {
      const worlds = make(bodies.filter((body) => body.shape === SHAPE.circle));
      for (const world of worlds) {
        stepWithoutResponse(world);
        const all = bruteForce(world).length;
        assert.equal(world.contactCount, Math.min(10, all));
        assert.equal(world.contactsDropped, all - world.contactCount);
      }
      const [contacts, plain] = worlds.map(contactsOf);
      assert.deepEqual(contacts, plain);
    }),
    { numRuns: RUNS / 3 },
  );
});

test('NaN and Infinity in one body affect neither memory nor other bodies', () => {
  const make = worldPool();
  const ball = { shape: SHAPE.circle, kind: 0, x: 100, y: 100, radius: 5 };
  const worlds = make([ball, { ...ball, x: 104 }, ball, ball, ball, ball]);
  for (const world of worlds) {
    world.x[2] = NaN;
    world.a[3] = NaN;
    world.vy[4] = Infinity;
    world.a[5] = -Infinity;
    for (let i = 0; i < 40; i++) world.step();
    assert.ok(world.x[0] < 100 && world.x[1] > 104);
    assert.ok(Number.isFinite(world.y[0]) && Number.isFinite(world.y[1]));
  }
  const [positions, plain] = worlds.map(({ x }) => x.slice(0, 2));
  assert.deepEqual(positions, plain);
});
