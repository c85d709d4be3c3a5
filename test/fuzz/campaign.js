/**
 * Runs each target in a process of its own, so that a crash, a leak or a hang belongs to one target. A target in C is
 * built with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.
 */
import { execFile, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const execute = promisify(execFile);
const HERE = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = join(HERE, 'run-target.js');
const BUILT = fileURLToPath(new URL('../../build/fuzz', import.meta.url));
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The longest time for one input of a target in C, seconds. */
const INPUT_SECONDS = 10;
/** A round that takes longer hangs. */
const HANG_MS = 300_000;
const HEAP_MB = 1024;
const MAX_LEAK_KIB = 8 * 1024;
/**
 * The place of the folders of targets, which are named after their processes to remove them even if these are killed.
 * Targets sync many small files, which is fast enough in memory only.
 */
export const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const FOLDER_NAME = /^pitv-fuzz-(\d+)$/;

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

/** Says why no target in C can be built here. @returns {string | undefined} undefined where it can */
export function missingCompiler() {
  const args = ['-fsanitize=fuzzer', '-x', 'c', '-', '-o', '/dev/null'];
  const input = 'int LLVMFuzzerTestOneInput(void) { return 0; }\n';
  const { status } = spawnSync('clang', args, { input });
  return status === 0 ? undefined : 'clang with libFuzzer is missing: ./setup.sh fuzz';
}

/** Builds all targets in C. @returns {Promise<unknown>} */
export const build = () => execute('make', ['--no-print-directory', '-C', join(HERE, 'c')]);

/** Builds and runs a target in C. @param {Entry} entry @param {Options} options @returns {Promise<Report>} */
async function runC({ name }, { seed, runs, seconds }) {
  await build();
  const program = join(BUILT, name.slice('c-'.length));
  const scratch = await mkdtemp(join(tmpdir(), 'pitv-fuzz-'));
  const began = performance.now();
  try {
    const args = [
      `-seed=${seed >>> 0 || 1}`,
      '-print_final_stats=1',
      `-timeout=${INPUT_SECONDS}`,
      `-artifact_prefix=${scratch}/`,
    ];
    if (Number.isFinite(runs)) args.push(`-runs=${runs}`);
    if (Number.isFinite(seconds)) args.push(`-max_total_time=${Math.max(1, Math.round(seconds))}`);
    const options = { maxBuffer: MAX_OUTPUT_BYTES };
    const result = await execute(program, args, options).catch((error) => error);
    const output = result.stdout + result.stderr || String(result);
    const took = (performance.now() - began) / 1000;
    const inputs = Number(/number_of_executed_units: (\d+)/.exec(output)?.[1] ?? 0);
    const failure =
      result instanceof Error
        ? { message: excerpt(output), seed, at: '', input: await inputIn(scratch) }
        : undefined;
    return { name, inputs, seconds: took, seed, failure, descriptors: 0, leakedKib: 0 };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Cuts an output before the sanitizer's report. @param {string} output @returns {string} */
function excerpt(output) {
  const at = output.search(/ERROR: |runtime error: /);
  return output.slice(Math.max(0, at), Math.max(0, at) + 4000);
}

/** Reads the input that libFuzzer left. @param {string} scratch its folder @returns {Promise<string>} Base64 */
async function inputIn(scratch) {
  const [found] = await readdir(scratch);
  return found ? `base64 ${(await readFile(join(scratch, found))).toString('base64')}` : '';
}

/** Makes a folder for this process, and makes it the place of temporary files (`os.tmpdir()`). */
export function useOwnFolder() {
  const folder = join(PARENT, `pitv-fuzz-${process.pid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  process.env.TMPDIR = folder;
}

/** Removes the folders of processes that have ended. */
function removeOldFolders() {
  for (const name of readdirSync(PARENT)) {
    const pid = FOLDER_NAME.exec(name)?.[1];
    // A zombie has no program. It stays where the parent of orphans does not wait for them, as in some containers.
    if (!pid || existsSync(`/proc/${pid}/exe`)) continue;
    try {
      rmSync(join(PARENT, name), { recursive: true, force: true });
    } catch {
      // A child of the process still writes into the folder. The next call removes it.
    }
  }
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
