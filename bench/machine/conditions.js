/** Describes the conditions of a published run: the commit, the machine, its load. */
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { machineFacts } from './facts.js';
import { COMMIT_DIGITS, machineLine } from '../report/text.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Code that results depend on. */
const CODE = ['app', 'bench', 'ksm', 'test', ':!bench/results'];

/** Runs Git. @param {...string} args @returns {string | undefined} undefined without Git or a repository */
function git(...args) {
  try {
    return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}

/** Returns the current commit. @returns {string | undefined} undefined without Git */
export const currentCommit = () => git('rev-parse', 'HEAD');

/** Lists files of the code with changes that are not committed. @returns {string[]} */
export const changedFiles = () =>
  (git('status', '--porcelain', '--', ...CODE) ?? '')
    .split('\n')
    .flatMap((line) => line.trim().split(/\s+/).slice(1, 2));

/** Names the commit, and whether files differ from it. @returns {string} */
function commit() {
  const hash = currentCommit();
  if (hash === undefined) return 'unknown';
  return hash.slice(0, COMMIT_DIGITS) + (changedFiles().length > 0 ? ' with changes' : '');
}

/** Records commit and date. Call it at the start of a run. @returns {{commit: string, date: string}} */
export const startOfRun = () => ({
  commit: commit(),
  date: new Date().toISOString().slice(0, 16).replace('T', ' ') + ' UTC',
});

/**
 * Formats the conditions as lines of Markdown. Call it at the end of a run.
 * @param {object} run
 * @param {string} run.command that repeats the run
 * @param {string} run.commit @param {string} run.date
 * @param {string} [run.note] about what else ran
 */
export function conditions({ command, commit, date, note }) {
  const load = os.loadavg().map((value) => value.toFixed(1));
  return [
    `- Command: \`${command}\``,
    `- Commit: ${commit}; started ${date}`,
    `- Machine: ${machineLine({ ...machineFacts(), before: {}, after: {} })}`,
    `- Load average at the end (1, 5, 15 min): ${load.join(', ')}${note ? `. ${note}` : ''}`,
  ].join('\n');
}
