/** Sets which process the kernel kills when the machine runs out of memory. */
import { writeFileSync } from 'node:fs';

/** proc(5), oom_score_adj: -1000 (never) to 1000 (first). */
const WORKER_SCORE = 500;

/**
 * Makes the kernel's OOM killer prefer this process and its forks to the main process: a match resumes from its
 * checkpoint, a TV does not. Raising the score needs no privilege.
 * @param {string} [file] replaced in tests
 */
export function raiseOomScore(file = '/proc/self/oom_score_adj') {
  try {
    writeFileSync(file, String(WORKER_SCORE));
  } catch {
    // /proc is missing or read-only. The kernel then chooses by size.
  }
}
