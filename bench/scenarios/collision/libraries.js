/**
 * The variants of the collision scenario. Each takes a cloud of circles and returns a function that computes one frame:
 * it moves the circles and counts the overlapping pairs. Each library is used as its documentation recommends for
 * speed; of several options, the fastest is used.
 */
import { setFlagsFromString } from 'node:v8';
import { SHAPE, STEP_SECONDS, World } from '../../../app/game/world.js';
import { nativeKernel } from './native-kernel.js';

/**
 * @typedef {import('./cloud.js').Cloud} Cloud
 * @typedef {() => number} Frame moves the circles and returns the number of overlapping pairs
 */

/** @param {Cloud} cloud @param {import('../../../app/game/world.js').WorldOptions['kernel']} kernel */
function pitv({ n, side, radius, x, y, vx, vy, restart }, kernel) {
  const world = new World({ capacity: n, width: side, height: side, border: 'bounce', kernel });
  for (let i = 0; i < n; i++) {
    const speed = { vx: vx[i], vy: vy[i] };
    world.add({ shape: SHAPE.circle, kind: 0, x: x[i], y: y[i], ...speed, radius: radius[i] });
  }
  return () => {
    restart(world);
    return world.advance();
  };
}

/**
 * Builds a static index in each frame. For equal circles, its radius query finds the pairs; otherwise, it finds
 * candidates.
 * @param {Cloud} cloud
 */
async function kdbush({ n, radius, largest, equal, x, y, move }) {
  const { default: KDBush } = await import('kdbush');
  return () => {
    move();
    const index = new KDBush(n);
    for (let i = 0; i < n; i++) index.add(x[i], y[i]);
    index.finish();
    let pairs = 0;
    for (let i = 0; i < n; i++) {
      const near = index.within(x[i], y[i], radius[i] + largest);
      if (equal) {
        for (let k = 0; k < near.length; k++) if (near[k] > i) pairs++;
      } else {
        for (let k = 0; k < near.length; k++) {
          const j = near[k];
          if (j <= i) continue;
          const [dx, dy, reach] = [x[j] - x[i], y[j] - y[i], radius[i] + radius[j]];
          if (dx * dx + dy * dy < reach * reach) pairs++;
        }
      }
    }
    return pairs;
  };
}

/** Builds a static index in each frame. @param {Cloud} cloud */
async function flatbush({ n, radius, x, y, move }) {
  const { default: Flatbush } = await import('flatbush');
  return () => {
    move();
    const index = new Flatbush(n, 8);
    for (let i = 0; i < n; i++) {
      const r = radius[i];
      index.add(x[i] - r, y[i] - r, x[i] + r, y[i] + r);
    }
    index.finish();
    let pairs = 0;
    for (let i = 0; i < n; i++) {
      const r = radius[i];
      index.search(x[i] - r, y[i] - r, x[i] + r, y[i] + r, (j) => {
        if (j > i) {
          const dx = x[j] - x[i];
          const dy = y[j] - y[i];
          const reach = r + radius[j];
          if (dx * dx + dy * dy < reach * reach) pairs++;
        }
        return false; // leaves it out of the returned array
      });
    }
    return pairs;
  };
}

/** Loads all boxes at once in each frame. @param {Cloud} cloud */
async function rbush({ n, radius, x, y, move }) {
  const { default: RBush } = await import('rbush');
  const tree = new RBush();
  const items = Array.from({ length: n }, (_, id) => ({ id, minX: 0, minY: 0, maxX: 0, maxY: 0 }));
  return () => {
    move();
    for (const item of items) {
      const r = radius[item.id];
      item.minX = x[item.id] - r;
      item.minY = y[item.id] - r;
      item.maxX = x[item.id] + r;
      item.maxY = y[item.id] + r;
    }
    tree.clear();
    tree.load(items);
    let pairs = 0;
    for (let i = 0; i < n; i++) {
      for (const { id } of tree.search(items[i])) {
        if (id <= i) continue;
        const dx = x[id] - x[i];
        const dy = y[id] - y[i];
        const reach = radius[id] + radius[i];
        if (dx * dx + dy * dy < reach * reach) pairs++;
      }
    }
    return pairs;
  };
}

/**
 * Uses kinematic bodies with sensors, and counts pairs by collision events. A step finds the pairs at the current
 * positions and then moves the bodies, so the cloud is one frame ahead. Rapier computes in float32.
 * @param {Cloud} cloud
 */
async function rapier({ n, radius, x, y, move }) {
  const { default: RAPIER } = await import('@dimforge/rapier2d-simd-compat');
  // Compiles the whole module with optimisation at once. Otherwise, V8 would only do so after seconds.
  setFlagsFromString('--no-liftoff');
  await RAPIER.init();
  const world = new RAPIER.World({ x: 0, y: 0 });
  world.timestep = STEP_SECONDS;
  const bodies = Array.from({ length: n }, (_, i) => {
    const body = world.createRigidBody(
      RAPIER.RigidBodyDesc.kinematicPositionBased().setTranslation(x[i], y[i]),
    );
    const shape = RAPIER.ColliderDesc.ball(radius[i])
      .setSensor(true)
      .setActiveCollisionTypes(RAPIER.ActiveCollisionTypes.KINEMATIC_KINEMATIC)
      .setActiveEvents(RAPIER.ActiveEvents.COLLISION_EVENTS);
    world.createCollider(shape, body);
    return body;
  });
  const events = new RAPIER.EventQueue(true);
  const at = { x: 0, y: 0 };
  let pairs = 0;
  /** @param {number} _one @param {number} _other @param {boolean} started whether the overlap began or ended */
  const count = (_one, _other, started) => {
    pairs += started ? 1 : -1;
  };
  const frame = () => {
    move();
    for (let i = 0; i < n; i++) {
      at.x = x[i];
      at.y = y[i];
      bodies[i].setNextKinematicTranslation(at);
    }
    world.step(events);
    events.drainCollisionEvents(count);
    return pairs;
  };
  frame();
  return frame;
}

/** Uses padding, so that most moves do not change the tree. @param {Cloud} cloud */
async function check2d({ n, radius, x, y, move }) {
  const { System } = await import('check2d');
  const system = new System();
  const circles = Array.from({ length: n }, (_, i) =>
    system.createCircle({ x: x[i], y: y[i] }, radius[i], { padding: radius[i] / 2 }),
  );
  return () => {
    move();
    for (let i = 0; i < n; i++) circles[i].setPosition(x[i], y[i], false);
    system.update();
    let found = 0;
    system.checkAll(() => {
      found++;
    });
    return found / 2; // each pair is reported twice
  };
}

/** Finds fewer pairs, because its circles are polygons. @param {Cloud} cloud */
async function matter({ n, radius, x, y, move }) {
  const { default: Matter } = await import('matter-js');
  const bodies = Array.from({ length: n }, (_, i) => Matter.Bodies.circle(x[i], y[i], radius[i]));
  const detector = Matter.Detector.create({ bodies });
  const at = { x: 0, y: 0 };
  return () => {
    move();
    for (let i = 0; i < n; i++) {
      at.x = x[i];
      at.y = y[i];
      Matter.Body.setPosition(bodies[i], at);
    }
    return Matter.Detector.collisions(detector).length;
  };
}

/** @type {Record<string, (cloud: Cloud) => Frame | Promise<Frame>>} */
export const VARIANTS = {
  pitv: (cloud) => pitv(cloud, undefined),
  c: (cloud) => pitv(cloud, nativeKernel('c')),
  'c-native': (cloud) => pitv(cloud, nativeKernel('c-native')),
  kdbush,
  flatbush,
  rbush,
  'rapier-simd': rapier,
  check2d,
  'matter-js': matter,
};
