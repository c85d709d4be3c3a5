/** Reads from Git which version was measured, and when measured code has changed since. */
import { execFileSync } from 'node:child_process';

/**
 * Runs Git.
 * @param {string} root @param {...string} args
 * @returns {string | undefined} its output; undefined without Git or a repository
 */
export function git(root, ...args) {
  try {
    return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}

/** Returns the current commit. @param {string} root @returns {string | undefined} undefined without Git */
export const currentCommit = (root) => git(root, 'rev-parse', 'HEAD');

/** Lists files with changes that are not committed. @param {string} root @param {string[]} paths @returns {string[]} */
export function uncommitted(root, paths) {
  const text = git(root, 'status', '--porcelain', '--', ...paths) ?? '';
  return text.split('\n').flatMap((line) => line.trim().split(/\s+/).slice(1, 2));
}

/** Returns whether the complete history exists. @param {string} root */
export const hasHistory = (root) => git(root, 'rev-parse', '--is-shallow-repository') === 'false';

/**
 * Finds the first change of paths after a measurement.
 * @param {string} root
 * @param {object} measured
 * @param {string} measured.commit
 * @param {string} measured.startedAt ISO 8601; used if the history does not contain the commit
 * @param {string[]} paths
 * @returns {string | undefined} ISO 8601
 */
export function firstChange(root, { commit, startedAt }, paths) {
  const isKnown = git(root, 'merge-base', '--is-ancestor', commit, 'HEAD') !== undefined;
  const range = isKnown ? [`${commit}..HEAD`] : [`--since=${startedAt}`, 'HEAD'];
  const dates = git(root, 'log', '--format=%cI', ...range, '--', ...paths);
  return dates?.split('\n').filter(Boolean).at(-1);
}
