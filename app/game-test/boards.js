/**
 * Estimates how long a tick takes on a Raspberry Pi. This machine is compared with the one on which both a benchmark
 * with published results for the boards and the kernel of games were run. No board was measured, and CoreMark computes
 * with whole numbers: an estimate may be wrong by a factor of two or three.
 */
import { SHAPE, World } from '../game/world.js';

/**
 * CoreMark of one core: iterations a second, from cm-benchmark.md of github.com/fm4dd/sbc-benchmarks.
 * @type {Readonly<Record<string, {title: string, coremark: number}>>}
 */
export const BOARDS = Object.freeze({
  pi1: { title: 'Pi 1', coremark: 1357 },
  pi2: { title: 'Pi 2', coremark: 3097 },
  pi4: { title: 'Pi 4', coremark: 15_600 },
});

/** An x64 core (AMD EPYC, 2026-11, Node.js 20.20): CoreMark of gcc 12 -O2, and measureStepMs(); best of five. */
const REFERENCE = Object.freeze({ coremark: 32_800, stepMs: 0.0054 });

const BODIES = 250;
const WARM_UP_STEPS = 400;
const BATCHES = 10;
const STEPS = 100;

/** Measures a step of 250 circles. @returns {number} ms, the best of several batches */
export function measureStepMs() {
  const world = new World({ capacity: BODIES, width: 1600, height: 900, border: 'bounce' });
  for (let i = 0; i < BODIES; i++) {
    const [x, y] = [world.random() * world.width, world.random() * world.height];
    const [vx, vy] = [world.random() * 200 - 100, world.random() * 200 - 100];
    world.add({ shape: SHAPE.circle, kind: 0, radius: 12, x, y, vx, vy });
  }
  const run = (/** @type {number} */ steps) => {
    for (let i = 0; i < steps; i++) world.step();
  };
  run(WARM_UP_STEPS);
  let best = Infinity;
  for (let i = 0; i < BATCHES; i++) {
    const began = performance.now();
    run(STEPS);
    best = Math.min(best, (performance.now() - began) / STEPS);
  }
  return best;
}

/**
 * Returns how many times as long a tick takes on each board.
 * @param {number} stepMs measureStepMs() of this machine
 * @returns {{name: string, title: string, factor: number}[]} slowest board first
 */
export function boardFactors(stepMs) {
  const coremark = REFERENCE.coremark * (REFERENCE.stepMs / stepMs);
  return Object.entries(BOARDS)
    .map(([name, board]) => ({ name, title: board.title, factor: coremark / board.coremark }))
    .sort((p, q) => q.factor - p.factor);
}
