/** Reads the state and the CPU time of processes (proc(5)). */
import { existsSync, readdirSync } from 'node:fs';
import { TICKS_PER_SECOND, readText, statOf } from '../../app/process/process-tree.js';

/**
 * Returns the CPU time of all existing threads of processes. Uses the scheduler's statistics, which count nanoseconds
 * (Documentation/scheduler/sched-stats.rst), or cpuMsOfAll() if the kernel does not have them.
 * @param {number[]} pids
 * @returns {number} ms
 */
export function cpuMs(pids) {
  let nanoseconds = 0;
  for (const pid of pids) {
    try {
      for (const tid of readdirSync(`/proc/${pid}/task`)) {
        const [spent = 0] = readText(`/proc/${pid}/task/${tid}/schedstat`)?.split(' ') ?? [];
        if (spent === 0 && !existsSync('/proc/self/schedstat')) return cpuMsOfAll(pids);
        nanoseconds += Number(spent);
      }
    } catch {
      // The process has ended.
    }
  }
  return nanoseconds / 1e6;
}

/**
 * Returns the CPU time of processes, including threads and children that have ended and been waited for. The
 * resolution is 10 ms.
 * @param {number[]} pids
 * @returns {number} ms
 */
export function cpuMsOfAll(pids) {
  const ticks = pids.flatMap((pid) => statOf(pid).slice(11, 15).map(Number)); // utime, stime, cutime, cstime
  return (ticks.reduce((sum, value) => sum + value, 0) * 1000) / TICKS_PER_SECOND;
}

/**
 * Returns what a process has had written to disks (proc_pid_io(5)); the file system's own journal is not in it.
 * @param {number} pid @returns {number} bytes; NaN when the kernel does not count them or the process has ended
 */
export const writtenBytes = (pid) =>
  Number(/^write_bytes: (\d+)/m.exec(readText(`/proc/${pid}/io`) ?? '')?.[1]);
