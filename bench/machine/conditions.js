/** Describes the conditions of a published run. */
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { machineFacts } from './facts.js';
import { currentCommit, git } from '../report/published/history.js';
import { COMMIT_DIGITS, machineLine } from '../report/text.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Names the commit, and whether files differ from it. @returns {string} */
function commit() {
  const hash = currentCommit(ROOT);
  if (hash === undefined) return 'unknown';
  const isChanged = git(ROOT, 'status', '--porcelain', '--untracked-files=no') !== '';
  return hash.slice(0, COMMIT_DIGITS) + (isChanged ? ' with changes' : '');
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
