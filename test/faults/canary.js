/**
 * Detects stalls of the machine. Ticks 60 times a second at a worker's priority, computes a little in each tick, and
 * prints [from, to] (ms of the monotonic clock) for each late tick. A match that stalls at the same time was stalled
 * by the machine.
 */
import os from 'node:os';
import { now } from '../support/polling.js';

const TICK_MS = 1000 / 60;
const WORK_MS = 0.3;
const LATE_MS = 8;
const WORKER_NICENESS = 5;

os.setPriority(0, Math.min(19, WORKER_NICENESS + os.getPriority(0)));

let due = now() + TICK_MS;
function tick() {
  const began = now();
  if (began - due > LATE_MS) process.stdout.write(`${JSON.stringify([due, began])}\n`);
  while (now() - began < WORK_MS);
  due = Math.max(due + TICK_MS, began);
  setTimeout(tick, Math.max(0, due - now()));
}
process.stdin.on('end', () => process.exit()).resume();
tick();
