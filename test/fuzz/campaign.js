/**
 * Runs each target in a process of its own, so that a crash, a leak or a hang belongs to one target. A target in C is
 * built with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.
 */
import { execFile, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
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
/** The place of the folders of targets. They sync many small files, which is fast enough in memory only. */
export const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

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

/**
 * Runs a target, with a folder for its temporary files.
 * @param {Entry} entry @param {Options} options @returns {Promise<Report>}
 */
export async function run({ name, file }, options) {
  const isC = file.endsWith('.c');
  if (isC) await build();
  const folder = await mkdtemp(join(PARENT, 'pitv-fuzz-'));
  const began = performance.now();
  try {
    const result = await (isC ? runC(name, options, folder) : runJs(file, options, folder));
    const seconds = (performance.now() - began) / 1000;
    const nothing = { inputs: 0, seed: options.seed, descriptors: 0, leakedKib: 0 };
    return { name, seconds, ...nothing, ...result };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }); // a killed target may have children
  }
}

/** @param {string} file @param {Options} options @param {string} folder @returns {Promise<Partial<Report>>} */
async function runJs(file, options, folder) {
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
  ended ||= `ended with ${signal ?? `code ${code}`}`;
  const failure = { message: `The process ${ended}.`, seed, at: '', input: '' };
  return report ?? { seed, failure };
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

/** @param {string} name @param {Options} options @param {string} folder @returns {Promise<Partial<Report>>} */
async function runC(name, { seed, runs, seconds }, folder) {
  const args = [
    `-seed=${seed >>> 0 || 1}`,
    '-print_final_stats=1',
    `-timeout=${INPUT_SECONDS}`,
    `-artifact_prefix=${folder}/`,
  ];
  if (Number.isFinite(runs)) args.push(`-runs=${runs}`);
  if (Number.isFinite(seconds)) args.push(`-max_total_time=${Math.max(1, Math.round(seconds))}`);
  const program = join(BUILT, name.slice('c-'.length));
  const options = { maxBuffer: MAX_OUTPUT_BYTES };
  const result = await execute(program, args, options).catch((error) => error);
  const output = result.stdout + result.stderr || String(result);
  const inputs = Number(/number_of_executed_units: (\d+)/.exec(output)?.[1] ?? 0);
  if (!(result instanceof Error)) return { inputs };
  const failure = { message: excerpt(output), seed, at: '', input: await inputIn(folder) };
  return { inputs, failure };
}

/** Cuts an output before the sanitizer's report. @param {string} output @returns {string} */
function excerpt(output) {
  const at = output.search(/ERROR: |runtime error: /);
  return output.slice(Math.max(0, at), Math.max(0, at) + 4000);
}

/** Reads the input that libFuzzer left. @param {string} folder @returns {Promise<string>} Base64 */
async function inputIn(folder) {
  const [found] = await readdir(folder);
  return found ? `base64 ${(await readFile(join(folder, found))).toString('base64')}` : '';
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
