import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { loadDeclared, planPublication } from '../report/published/publish.js';
import { pathOf } from '../report/published/store.js';
import { prepareStorage } from './common/measure.js';
import { readResults, usage, writeAtomically } from './common/usage.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const help = `pitv bench publish [--check]
    rebuilds the tables and plots in README.md and docs/results, and a page for each of the results, from the samples in
    bench/results; exits with 1 if a table or a figure has no samples, or if code that it measures changed more than 30
    days ago
    --check           writes nothing, and exits with 1 if a file differs, too
pitv bench publish FILE.json --name NAME --command COMMAND
    stores results of an emulated board as bench/results/NAME.json.gz; COMMAND is the command that measured them
`;

export const options = /** @type {const} */ ({
  check: { type: 'boolean' },
  name: { type: 'string' },
  command: { type: 'string' },
});

/** @param {{check?: boolean, name?: string, command?: string}} values @param {string[]} files */
export async function run({ check = false, name, command }, files) {
  if (files.length > 0 || name !== undefined || command !== undefined) {
    return storeFile(files, name, command);
  }
  const plan = await planPublication({ root: ROOT, declared: await loadDeclared() });
  const { changes, problems } = plan;
  if (!check) {
    for (const { path, text } of changes) writeAtomically(join(ROOT, path), text);
  }
  process.stdout.write(format(plan, check));
  return problems.length > 0 || (check && changes.length > 0) ? 1 : 0;
}

/** @param {import('../report/published/publish.js').Plan} plan @param {boolean} check */
function format({ files, changes, problems, notes }, check) {
  const changed = changes.map(({ path }) => path);
  const lines = files.map((path) => {
    const done = check ? 'differs' : 'written';
    return `  ${(changed.includes(path) ? done : 'current').padEnd(8)}  ${path}`;
  });
  lines.push(...problems.map((problem) => `  problem: ${problem}`));
  lines.push(...notes.map((note) => `  ${note}`));
  return `${lines.join('\n')}\n`;
}

/** @param {string[]} files @param {string} [name] @param {string} [command] */
function storeFile(files, name, command) {
  if (files.length !== 1 || name === undefined || command === undefined) {
    throw usage('To store results, give one file, --name and --command.');
  }
  const store = prepareStorage('--name', name, command);
  const results = readResults(files[0]);
  if (!results.complete) throw usage(`${files[0]} is incomplete: the run was interrupted.`);
  store(results);
  process.stdout.write(`${pathOf(name)}\n`);
  return 0;
}
