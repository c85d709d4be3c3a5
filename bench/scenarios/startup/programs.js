/** Programs without an engine, which show what the start of Node.js consists of. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../../app/errors.js';
import { findRuntime } from '../../harness/runtimes.js';

const PROGRAM = fileURLToPath(new URL('./program.cjs', import.meta.url));
export const SMALL_PROGRAM = 'small program';
const CACHED = 'small program, compile cache';

/** NODE_COMPILE_CACHE exists since Node 22.1. */
export const hasCompileCache = 'enableCompileCache' in module;

/**
 * Returns the arguments and the environment of each program. May create files in the work directory.
 * @type {Record<string, (workDir: string) => {args: string[], env?: Record<string, string>}>}
 */
const PROGRAMS = {
  'node -e 0': () => ({ args: ['-e', '0'] }),
  [SMALL_PROGRAM]: () => ({ args: [PROGRAM] }),
  'small program, snapshot': (workDir) => {
    const blob = join(workDir, `program-${process.version}.blob`);
    const build = ['--snapshot-blob', blob, '--build-snapshot', PROGRAM];
    if (!existsSync(blob) && spawnSync(process.execPath, build).status !== 0) {
      throw new PitvError(
        'PITV_BENCH_SNAPSHOT',
        `Node ${process.version} could not build a snapshot.`,
      );
    }
    return { args: ['--snapshot-blob', blob] };
  },
  [CACHED]: (workDir) => {
    const folder = join(workDir, `compile-cache-${process.version}`);
    const env = { NODE_COMPILE_CACHE: folder };
    if (!existsSync(folder)) {
      mkdirSync(folder);
      spawnSync(process.execPath, [PROGRAM], {
        stdio: ['ignore', 'ignore', 'ignore', 'ignore'],
        env: { ...process.env, ...env },
      });
    }
    return { args: [PROGRAM], env };
  },
};

/** Names of the programs that this Node.js can run; other runtimes run SMALL_PROGRAM. */
export const PROGRAM_NAMES = Object.freeze(
  Object.keys(PROGRAMS).filter((name) => name !== CACHED || hasCompileCache),
);

/**
 * Measures the second start of a program. The first one reads its files into the page cache.
 * @param {string} name one of PROGRAM_NAMES @param {string} workDir
 * @param {string} [runtime] instead of Node.js
 * @returns {Promise<number>} ms until it is ready; for `node -e 0`, until it has ended
 */
export async function timeProgram(name, workDir, runtime) {
  const { args, env } = PROGRAMS[name](workDir);
  const command = [...(runtime ? findRuntime(runtime) : [process.execPath]), ...args];
  await run(command, env);
  return run(command, env);
}

/**
 * Runs a program.
 * @param {string[]} command @param {Record<string, string>} [env] @returns {Promise<number>} ms until it is ready
 */
async function run([program, ...args], env) {
  const began = performance.now();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const ready = child.stdout && once(child.stdout, 'data');
  await (args[0] === '-e' ? ended : Promise.race([ready, ended.then(fail)]));
  const elapsed = performance.now() - began;
  await ended;
  return elapsed;
}

/** @param {unknown[]} exit arguments of the event */
function fail([code]) {
  throw new Error(`the program ended with status ${code} before it was ready`);
}
