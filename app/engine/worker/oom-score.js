/** Who dies when memory runs out. */
import { writeFileSync } from 'node:fs';

/** proc(5), oom_score_adj: -1000 (never) to 1000 (first). */
const WORKER_SCORE = 500;

/**
 * Has the kernel's OOM killer take this process, and those it forks, before the main one: a match goes on
 * from its checkpoint, a TV does not. Anybody may raise their own score.
 * @param {string} [file] for tests
 */
export function raiseOomScore(file = '/proc/self/oom_score_adj') {
  try {
    writeFileSync(file, String(WORKER_SCORE));
  } catch {
    // No /proc, or it is read-only: the kernel goes by size then.
  }
}
