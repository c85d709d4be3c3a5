/** Gives a process the processor whenever it wants it, as if other programs of this machine were not there. */
import { execFileSync } from 'node:child_process';

/** Lowest of sched(7)'s real-time priorities: above every ordinary program. */
const PRIORITY = '1';

/**
 * Makes all threads of a process real-time ones. What it starts later is ordinary. Only root may do that; for
 * others nothing changes, and other programs take part of the process's time.
 * @param {number} pid
 */
export function preferProcess(pid) {
  try {
    const args = ['--all-tasks', '--fifo', '--reset-on-fork', '--pid', PRIORITY, String(pid)];
    execFileSync('chrt', args, { stdio: 'ignore' });
  } catch {
    // chrt(1) is missing, or the user may not.
  }
}
