/** Runs each target in a process of its own, so that a crash, a leak or a hang belongs to one target. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runC } from './run-c.js';
import { removeOldFolders } from './support/temporary-files.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = join(HERE, 'run-target.js');
/** A round that takes longer hangs. */
const HANG_MS = 300_000;
const HEAP_MB = 1024;
const MAX_LEAK_KIB = 8 * 1024;

/** @typedef {import('./support/target.js').Options} Options */
/** @typedef {import('./support/target.js').Report} Report */
/** @typedef {{name: string, file: string}} Entry */

/** Lists every target: the files of targets/ and c/. @returns {Entry[]} */
export function listTargets() {
  return ['targets', 'c'].flatMap((folder) =>
    readdirSync(join(HERE, folder))
      .filter((file) => /\.(js|c)$/.test(file))
      .sort()
      .map((file) => ({
        name: file.endsWith('.c') ? `c-${basename(file, '.c')}` : basename(file, '.js'),
        file: join(HERE, folder, file),
      })),
  );
}

/** Runs a target. @param {Entry} entry @param {Options} options @returns {Promise<Report>} */
export function run(entry, options) {
  return entry.file.endsWith('.c') ? runC(entry, options) : runInChild(entry, options);
}

/** @param {Entry} entry @param {Options} options @returns {Promise<Report>} */
async function runInChild({ name, file }, options) {
  const began = performance.now();
  removeOldFolders(); // of campaigns that were killed
  const child = fork(PROGRAM, [file, JSON.stringify(options)], {
    execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let { seed } = options;
  let ended = '';
  /** @type {Report | undefined} */
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
  removeOldFolders();
  if (report) return { ...report, name };
  ended ||= `ended with ${signal ?? `code ${code}`}`;
  const failure = { message: `The process ${ended}.`, seed, at: '', input: '' };
  const seconds = (performance.now() - began) / 1000;
  return { name, inputs: 0, seconds, seed, failure, descriptors: 0, leakedKib: 0 };
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
