/** Runs each target in a process of its own, so that a crash, a leak or a hang belongs to one target. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TARGETS = fileURLToPath(new URL('targets', import.meta.url));
const PROGRAM = fileURLToPath(new URL('run-target.js', import.meta.url));
/** A round that takes longer hangs. */
const HANG_MS = 300_000;
const HEAP_MB = 1024;
const MAX_LEAK_KIB = 8 * 1024;
/** The place of the folders of targets. They sync many small files, which is fast enough in memory only. */
export const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** @typedef {import('./support/target.js').Options} Options */
/** @typedef {import('./support/target.js').Report} Report */
/** @typedef {{name: string, file: string}} Entry */

/** Lists every target. @returns {Entry[]} */
export const listTargets = () =>
  readdirSync(TARGETS)
    .sort()
    .map((file) => ({ name: basename(file, '.js'), file: join(TARGETS, file) }));

/**
 * Runs a target, with a folder for its temporary files.
 * @param {Entry} entry @param {Options} options @returns {Promise<Report>}
 */
export async function run({ name, file }, options) {
  const folder = await mkdtemp(join(PARENT, 'pitv-fuzz-'));
  const began = performance.now();
  const child = fork(PROGRAM, [file, JSON.stringify(options)], {
    execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, TMPDIR: folder },
  });
  let { seed } = options;
  let ended = '';
  /** @type {Partial<Report> | undefined} */
  let report;
  const watchdog = setTimeout(() => {
    ended = `hung for ${HANG_MS} ms`;
    child.kill('SIGKILL');
  }, HANG_MS);
  child.on('message', (/** @type {any} */ message) => {
    watchdog.refresh();
    if (message.report) report = message.report;
    else seed = message.roundSeed;
  });
  const [code, signal] = await once(child, 'exit');
  clearTimeout(watchdog);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }); // a killed target may have children
  ended ||= `ended with ${signal ?? `code ${code}`}`;
  const seconds = (performance.now() - began) / 1000;
  const failure = { message: `The process ${ended}.`, seed, at: '', input: '' };
  const nothing = { inputs: 0, descriptors: 0, leakedKib: 0 };
  return { name, seconds, seed, ...nothing, ...(report ?? { failure }) };
}

/** Describes a leak. @param {Report} report @returns {string} empty without a leak */
export function leakOf({ descriptors, leakedKib }) {
  const found = [];
  if (descriptors > 0) found.push(`${descriptors} descriptors`);
  if (leakedKib > MAX_LEAK_KIB) found.push(`${Math.round(leakedKib / 1024)} MiB`);
  return found.join(', ');
}

/**
 * Describes a failure, with the command that repeats it.
 * @param {Report} report @returns {string} empty without a failure
 */
export function explain({ name, failure }) {
  if (!failure) return '';
  const { message, seed, at, input } = failure;
  const again = `make fuzz TARGET=${name} SEED=${seed}${at && ` AT=${at}`}`;
  return `${name}: ${message}\n  input: ${input || '(the process died)'}\n  repeat: ${again}`;
}
