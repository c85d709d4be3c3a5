/** `pitv bench ...`: runs the benchmark harness. Each file of bench/commands is a subcommand. */
import { existsSync } from 'node:fs';
import { PitvError } from '../errors.js';
import { runSubcommand } from './index.js';

export const summary = 'run benchmarks: `pitv bench run <scenario>`, `pitv bench list`';
const FOLDER = new URL('../../bench/commands/', import.meta.url);

/** @param {string[]} argv @returns {Promise<number | void>} */
export async function run(argv) {
  if (existsSync(FOLDER)) return runSubcommand({ name: 'bench', folder: FOLDER }, argv);
  const sentence = 'The benchmarks (bench/) are not installed. Use a checkout of the repository.';
  throw new PitvError('PITV_BENCH_MISSING', sentence);
}
