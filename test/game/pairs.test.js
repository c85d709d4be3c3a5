import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SHAPE } from '../../app/game/world.js';
import { extent } from '../support/extent.js';
import { anyBodies, bruteForce, contactsOf, worldPool } from './random-worlds.js';

const RUNS = Number(process.env.PITV_TEST_RUNS ?? extent(300, 1500));

/** Runs a step with sensors only, which moves nothing. @param {import('../../app/game/world.js').World} world */
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
