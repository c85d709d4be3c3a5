/** Describes the conditions of a published run. */
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { machineFacts } from './facts.js';
import { machineLine } from '../report/text.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @param {string[]} args of git @returns {string} */
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** Names the commit, and whether files differ from it. @returns {string} */
function commit() {
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
    return git('rev-parse', '--short=12', 'HEAD') + (changed ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
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
