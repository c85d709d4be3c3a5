import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { loadDeclared, planPublication } from '../report/published/publish.js';
import { writeAtomically } from './common/usage.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const help = `pitv bench publish [--check]
    rebuilds the tables and plots in README.md and docs/results, and a page for each of the results, from the samples in
    bench/results; exits with 1 if a table or a figure has no samples
    --check           writes nothing, and exits with 1 if a file differs, too
`;

export const options = /** @type {const} */ ({ check: { type: 'boolean' } });

/** @param {{check?: boolean}} values */
export async function run({ check = false }) {
  const plan = planPublication(ROOT, await loadDeclared());
  const { changes, problems } = plan;
  if (!check) {
    for (const { path, text } of changes) writeAtomically(join(ROOT, path), text);
  }
  process.stdout.write(format(plan, check));
  return problems.length > 0 || (check && changes.length > 0) ? 1 : 0;
}

/** @param {import('../report/published/publish.js').Plan} plan @param {boolean} check */
function format({ files, changes, problems }, check) {
  const changed = changes.map(({ path }) => path);
  const lines = files.map((path) => {
    const done = check ? 'differs' : 'written';
    return `  ${(changed.includes(path) ? done : 'current').padEnd(8)}  ${path}`;
  });
  lines.push(...problems.map((problem) => `  problem: ${problem}`));
  return `${lines.join('\n')}\n`;
}
