/**
 * Runs seeded worlds and prints SHA-256 sums in a line, then plays the games of pitv and prints the hashes of the state
 * and the frame of each tick.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Play } from '../../app/game-test/play.js';
import { listGameFiles, loadGame } from '../../app/game/load-games.js';
import { atan256, cos256, sin256 } from '../../app/game/trig.js';
import { SHAPE, World } from '../../app/game/world.js';

const SIZE = { width: 1600, height: 900, border: /** @type {const} */ ('bounce'), stateWords: 4 };

/** Runs circles only. */
function circles() {
  const world = new World({ ...SIZE, capacity: 1200, seed: 20 });
  for (let i = 0; i < 1200; i++) addBall(world, 2 + 4 * world.random());
  return hashOfRun(world, 200, () => {});
}

/** Runs all shapes, sensors and large bodies; adds and removes bodies. */
function mixed() {
  const world = new World({ ...SIZE, capacity: 500, seed: 77 });
  const wall = { shape: SHAPE.segment, kind: 1 };
  world.add({ ...wall, x: 200, y: 100, x2: 700, y2: 640 });
  world.add({ ...wall, x: 1500, y: 880, x2: 900, y2: 500 });
  const hole = { shape: SHAPE.circle, kind: 2, radius: 120, sensor: true, mass: Infinity };
  world.add({ ...hole, x: 1000, y: 300 });
  for (let i = 0; i < 40; i++) {
    const x = world.random() * 1600;
    const size = { halfWidth: 3 + world.random() * 40, halfHeight: 3 + world.random() * 20 };
    const restitution = 0.5 + world.random() / 2;
    world.add({ shape: SHAPE.box, kind: 3, x, y: world.random() * 900, ...size, restitution });
  }
  for (let i = 0; i < 300; i++) addBall(world, 1 + 9 * world.random());
  return hashOfRun(world, 300, (tick) => {
    const id = 3 + world.randomInt(world.high);
    if (world.shape[id] === SHAPE.circle) world.remove(id);
    if (tick % 3 !== 0) addBall(world, 1 + 30 * world.random());
    world.gameState[tick % 4] += world.contactCount * cos256(tick);
    if (world.contactCount > 0) {
      const i = world.contactA[0];
      world.angle[i] = atan256(world.vy[i], world.vx[i]);
      world.vx[i] += 10 * sin256(world.angle[i]);
    }
  });
}

/** @param {World} world @param {number} radius */
function addBall(world, radius) {
  const x = world.random() * 1600;
  const y = world.random() * 900;
  const vx = world.random() * 600 - 300;
  const vy = world.random() * 600 - 300;
  if (world.count < world.capacity)
    world.add({ shape: SHAPE.circle, kind: 0, x, y, vx, vy, radius });
}

/** @param {World} world @param {number} steps @param {(tick: number) => void} play */
function hashOfRun(world, steps, play) {
  const hash = createHash('sha256');
  for (let tick = 0; tick < steps; tick++) {
    world.step();
    play(tick);
    if (tick % 50 !== 49) continue;
    const { contactCount: n, contactA, contactB, contactNx, contactDepth, contactSpeed } = world;
    for (const field of [contactA, contactB, contactNx, contactDepth, contactSpeed]) {
      hash.update(new Uint8Array(field.buffer, field.byteOffset, n * field.BYTES_PER_ELEMENT));
    }
    hash.update(world.bytes);
  }
  return hash.digest('hex');
}

function trigonometry() {
  const hash = createHash('sha256');
  for (let i = 0; i < 256; i++) hash.update(new Float64Array([sin256(i), cos256(i)]));
  for (let y = -40; y <= 40; y++) {
    for (let x = -40; x <= 40; x++) hash.update(new Uint8Array([atan256(y, x)]));
  }
  return hash.digest('hex');
}

console.log(JSON.stringify({ circles: circles(), mixed: mixed(), trigonometry: trigonometry() }));

const GAMES = fileURLToPath(new URL('../../app/games', import.meta.url));
for (const path of await listGameFiles(GAMES)) {
  const id = basename(path, '.js');
  const play = new Play(await loadGame(path, id), 2013);
  const hashes = new Int32Array(2);
  while (play.tick < 1000) {
    play.step();
    play.hash(hashes, 0);
    console.log(`${id}, tick ${play.tick}: ${hashes}`);
  }
}
