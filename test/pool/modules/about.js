/** Functions that tell what a worker got from the options of its pool. It loads neither pitv nor piscina. */
import { openSync } from 'node:fs';
import os from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** @param {any} task */
export default function echo(task) {
  return task;
}
export const argv = () => process.argv.slice(2);
export const hooked = () => Reflect.get(globalThis, 'hooked');
/** Imports a module that no worker has loaded. */
export const importLate = async () => (await import('./named.js')).add(1);
/** Prints lines of 100 characters. @param {number} lines */
export const print = (lines) => {
  for (let i = 0; i < lines; i++) console.log(String(i).padEnd(99, '.'));
};
/** @param {number} lines */
export const printAndFail = (lines) => {
  print(lines);
  throw new Error('printed');
};
export const execArgv = () => process.execArgv;
/** @param {string} name */
export const env = (name) => process.env[name];
export const priority = () => os.getPriority();
export const heapLimit = () => getHeapStatistics().heap_size_limit;
export const hang = () => {
  for (;;);
};
/** @param {number} ms */
export const spin = (ms) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};
/** @param {string} file @returns {number} a descriptor that stays open */
export const leaveOpen = (file) => openSync(file, 'r');

let running = 0;
/** Waits until two tasks run. */
export const meet = async () => {
  running++;
  while (running < 2) await new Promise((resolve) => setImmediate(resolve));
  return running;
};

let turns = 0;
/** Leaves a timer behind. */
export const leaveTimer = () => void setInterval(() => turns++, 1);
export const timerTurns = () => turns;
