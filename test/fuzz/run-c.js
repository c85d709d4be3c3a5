/** Builds and runs a target in C with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const execute = promisify(execFile);
const FOLDER = fileURLToPath(new URL('c', import.meta.url));
const BUILT = fileURLToPath(new URL('../../build/fuzz', import.meta.url));
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The longest time for one input, seconds. */
const INPUT_SECONDS = 10;

/** Says why no target can be built here. @returns {string | undefined} undefined where it can */
export function missingCompiler() {
  const args = ['-fsanitize=fuzzer', '-x', 'c', '-', '-o', '/dev/null'];
  const input = 'int LLVMFuzzerTestOneInput(void) { return 0; }\n';
  const { status } = spawnSync('clang', args, { input });
  return status === 0 ? undefined : 'clang with libFuzzer is missing: ./setup.sh fuzz';
}

/** Builds all targets. @returns {Promise<unknown>} */
export const build = () => execute('make', ['--no-print-directory', '-C', FOLDER]);

/**
 * Builds and runs a target.
 * @param {{name: string, file: string}} entry
 * @param {import('./support/target.js').Options} options
 * @returns {Promise<import('./support/target.js').Report>}
 */
export async function runC({ name }, { seed, runs, seconds }) {
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
