/**
 * Every variant of the collision scenario: how to make it ready for a cloud of circles, and one
 * frame of it, which moves the circles and counts the pairs that overlap. Each library is used the
 * way its documentation recommends for speed; where there was a choice, the fastest was taken.
 */
import { setFlagsFromString } from 'node:v8';
import { SHAPE, STEP_SECONDS, World } from '../../../app/game/world.js';
import { createNativeKernel } from './native-kernel.js';

/**
 * @typedef {import('./cloud.js').Cloud} Cloud
 * @typedef {() => number} Frame moves the circles, returns the pairs that overlap
 */

/** @param {Cloud} cloud @param {import('../../../app/game/world.js').WorldOptions['kernel']} kernel */
function pitv({ n, side, radius, x, y, vx, vy }, kernel) {
  const world = new World({ capacity: n, width: side, height: side, border: 'bounce', kernel });
  for (let i = 0; i < n; i++) {
    const speed = { vx: vx[i], vy: vy[i] };
    world.add({ shape: SHAPE.circle, kind: 0, x: x[i], y: y[i], ...speed, radius });
  }
  return () => world.advance();
}

/** A static index, made anew each frame; its radius query is the test. @param {Cloud} cloud */
async function kdbush({ n, radius, x, y, move }) {
  const { default: KDBush } = await import('kdbush');
  return () => {
    move();
    const index = new KDBush(n);
    for (let i = 0; i < n; i++) index.add(x[i], y[i]);
    index.finish();
    let pairs = 0;
    for (let i = 0; i < n; i++) {
      const near = index.within(x[i], y[i], 2 * radius);
      for (let k = 0; k < near.length; k++) if (near[k] > i) pairs++;
    }
    return pairs;
  };
}

/** A static index, made anew each frame. @param {Cloud} cloud */
async function flatbush({ n, radius, x, y, move }) {
  const { default: Flatbush } = await import('flatbush');
  const reach2 = 4 * radius * radius;
  return () => {
    move();
    const index = new Flatbush(n, 8);
    for (let i = 0; i < n; i++) {
      index.add(x[i] - radius, y[i] - radius, x[i] + radius, y[i] + radius);
    }
    index.finish();
    let pairs = 0;
    for (let i = 0; i < n; i++) {
      index.search(x[i] - radius, y[i] - radius, x[i] + radius, y[i] + radius, (j) => {
        if (j > i) {
          const dx = x[j] - x[i];
          const dy = y[j] - y[i];
          if (dx * dx + dy * dy < reach2) pairs++;
        }
        return false; // no need of an array of them
      });
    }
    return pairs;
  };
}

/** All boxes loaded at once each frame. @param {Cloud} cloud */
async function rbush({ n, radius, x, y, move }) {
  const { default: RBush } = await import('rbush');
  const tree = new RBush();
  const items = Array.from({ length: n }, (_, id) => ({ id, minX: 0, minY: 0, maxX: 0, maxY: 0 }));
  const reach2 = 4 * radius * radius;
  return () => {
    move();
    for (const item of items) {
      item.minX = x[item.id] - radius;
      item.minY = y[item.id] - radius;
      item.maxX = x[item.id] + radius;
      item.maxY = y[item.id] + radius;
    }
    tree.clear();
    tree.load(items);
    let pairs = 0;
    for (let i = 0; i < n; i++) {
      for (const { id } of tree.search(items[i])) {
        if (id <= i) continue;
        const dx = x[id] - x[i];
        const dy = y[id] - y[i];
        if (dx * dx + dy * dy < reach2) pairs++;
      }
    }
    return pairs;
  };
}

/**
 * Kinematic bodies with sensors, pairs from the collision events. A step finds the pairs of where
 * the bodies are and then moves them on, so the cloud is kept one frame ahead. It computes in float32.
 * @param {Cloud} cloud
 */
async function rapier({ n, radius, x, y, move }) {
  const { default: RAPIER } = await import('@dimforge/rapier2d-simd-compat');
  // All of it is compiled with optimisation at once; else that would go on for seconds of frames.
  setFlagsFromString('--no-liftoff');
  await RAPIER.init();
  const world = new RAPIER.World({ x: 0, y: 0 });
  world.timestep = STEP_SECONDS;
  const bodies = Array.from({ length: n }, (_, i) => {
    const body = world.createRigidBody(
      RAPIER.RigidBodyDesc.kinematicPositionBased().setTranslation(x[i], y[i]),
    );
    const shape = RAPIER.ColliderDesc.ball(radius)
      .setSensor(true)
      .setActiveCollisionTypes(RAPIER.ActiveCollisionTypes.KINEMATIC_KINEMATIC)
      .setActiveEvents(RAPIER.ActiveEvents.COLLISION_EVENTS);
    world.createCollider(shape, body);
    return body;
  });
  const events = new RAPIER.EventQueue(true);
  const at = { x: 0, y: 0 };
  let pairs = 0;
  /** @param {number} _one @param {number} _other @param {boolean} started else ended */
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

/** Padding spares it most insertions into its tree. @param {Cloud} cloud */
async function check2d({ n, radius, x, y, move }) {
  const { System } = await import('check2d');
  const system = new System();
  const circles = Array.from({ length: n }, (_, i) =>
    system.createCircle({ x: x[i], y: y[i] }, radius, { padding: radius / 2 }),
  );
  return () => {
    move();
    for (let i = 0; i < n; i++) circles[i].setPosition(x[i], y[i], false);
    system.update();
    let found = 0;
    system.checkAll(() => {
      found++;
    });
    return found / 2; // it reports each pair from both sides
  };
}

/** Its circles are polygons, so that it finds fewer pairs. @param {Cloud} cloud */
async function matter({ n, radius, x, y, move }) {
  const { default: Matter } = await import('matter-js');
  const bodies = Array.from({ length: n }, (_, i) => Matter.Bodies.circle(x[i], y[i], radius));
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
  'pitv-js': (cloud) => pitv(cloud, 'js'),
  c: (cloud) => pitv(cloud, createNativeKernel),
  kdbush,
  flatbush,
  rbush,
  'rapier-simd': rapier,
  check2d,
  'matter-js': matter,
};
