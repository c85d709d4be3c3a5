/** Functions that tell what a worker got from the options of its pool. It loads neither pitv nor piscina. */
import { spawnSync } from 'node:child_process';
import { openSync, readFileSync, readdirSync } from 'node:fs';
import os from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { getEnvironmentData, isMainThread, parentPort, threadId } from 'node:worker_threads';

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
/** Returns the names of the threads of this process and of its parent. */
export const threadNames = () =>
  [process.pid, process.ppid].flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((id) =>
      readFileSync(`/proc/${pid}/task/${id}/comm`, 'latin1').trim(),
    ),
  );
export const execArgv = () => process.execArgv;
/** @param {string} name */
export const env = (name) => process.env[name];
export const folder = () => process.cwd();
export const priority = () => os.getPriority();
export const heapLimit = () => getHeapStatistics().heap_size_limit;
/** Returns what throws whenever somebody looks at it; nothing without a task. @param {any} task */
export const trap = (task) =>
  task &&
  new Proxy(new Uint8Array(1), {
    has() {
      throw new Error('trapped');
    },
  });
export const hang = () => {
  for (;;);
};
/** @param {number} ms */
export const spin = (ms) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};
/** @param {string} file @returns {number} its length */
export const read = (file) => readFileSync(file, 'utf8').length;
/** Runs a program. */
export const spawn = () => {
  const { error } = spawnSync('true');
  if (error) throw error;
};
export const environment = () => Object.keys(process.env);
/** @param {string} file @returns {number} a descriptor that stays open */
export const leaveOpen = (file) => openSync(file, 'r');

export const thread = () => ({ isMainThread, threadId, pid: process.pid });
/** Sends a message. Returns whether the port is one that calls can be chained with. @param {any} message */
export const post = (message) => {
  parentPort?.postMessage(message);
  const listener = () => {};
  const returned = parentPort?.on('message', listener);
  parentPort?.off('message', listener);
  return returned === parentPort;
};
/** @param {string} key */
export const environmentData = (key) => getEnvironmentData(key);
/** @param {string} name of an environment variable */
export const setEnv = (name) => void (process.env[name] = 'set');
/** @param {Uint8Array} bytes */
export const increment = (bytes) => void bytes[0]++;
export const exit = () => process.exit(3);
export const fail = () => {
  class OwnError extends RangeError {
    name = 'OwnError';
    code = 'OWN';
  }
  throw new OwnError('own message');
};
/** Throws after the task has ended. */
export const failLater = () => {
  setTimeout(() => {
    throw new Error('later');
  }, 5);
};
/** Throws while the task runs, but not in its function. */
export const failUncaught = () =>
  new Promise(() => {
    setTimeout(() => {
      throw Object.assign(new RangeError('uncaught'), { status: 503, details: { a: 1 } });
    }, 1);
  });
export const handleUncaught = () =>
  new Promise((resolve) => {
    process.once('uncaughtException', () => resolve('handled'));
    setTimeout(() => {
      throw new Error('is handled');
    }, 1);
  });
export const brokenThen = () => ({
  get then() {
    throw new Error('then');
  },
});
export const stackDepth = () => {
  let depth = 0;
  const descend = () => {
    depth++;
    descend();
  };
  try {
    descend();
  } catch {
    return depth;
  }
};
export const fillHeap = () => {
  const kept = [];
  for (;;) kept.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
};

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
