/** Runs the tools of `make lint` on the whole project. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Asserts that a tool of node_modules ends with exit status 0.
 * @param {string} tool @param {string[]} args
 */
export function passes(tool, args) {
  const run = spawnSync(`${ROOT}node_modules/.bin/${tool}`, args, { cwd: ROOT, encoding: 'utf8' });
  assert.equal(run.status, 0, `${tool} ${args.join(' ')}\n${run.stdout}${run.stderr}`);
}
