/** Limits the CPU time of a group of processes, by a control group of version 1 or 2. Needs root. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const GROUPS = '/sys/fs/cgroup';
const UNIFIED = existsSync(join(GROUPS, 'cgroup.controllers'));
const PARENT = UNIFIED ? GROUPS : join(GROUPS, 'cpu');
const PERIOD_US = 20_000;
/** Children of a process that was killed end a moment later. */
const MAX_TRIES = 100;
const PAUSE_MS = 50;
let groups = 0;

/** Why the CPU time cannot be limited here; undefined if it can. @returns {Promise<string | undefined>} */
export async function missingForCpuLimit() {
  if (process.getuid?.() !== 0) return 'limiting CPU time needs root';
  try {
    await new CpuLimit(1).close();
    return undefined;
  } catch (error) {
    return `there is no control group for CPU time: ${error instanceof Error ? error.message : error}`;
  }
}

export class CpuLimit {
  #path = join(PARENT, `pitv-bench-${process.pid}-${groups++}`);

  /** @param {number} cores such as 0.5 */
  constructor(cores) {
    mkdirSync(this.#path);
    try {
      const quota = String(Math.round(PERIOD_US * cores));
      if (UNIFIED) this.#write('cpu.max', `${quota} ${PERIOD_US}`);
      else {
        this.#write('cpu.cfs_period_us', String(PERIOD_US));
        this.#write('cpu.cfs_quota_us', quota);
      }
    } catch (error) {
      rmdirSync(this.#path);
      throw error;
    }
  }

  /** @param {string} name @param {string} value */
  #write(name, value) {
    writeFileSync(join(this.#path, name), value);
  }

  /** The command that starts a program in the group. Its own command follows. @returns {string[]} */
  get enter() {
    return ['sh', '-c', `echo $$ > ${this.#path}/cgroup.procs && exec "$@"`, 'sh'];
  }

  /** Removes the group, as soon as its processes have ended. */
  async close() {
    for (let tries = 0; ; tries++) {
      try {
        rmdirSync(this.#path);
        return;
      } catch (error) {
        if (tries === MAX_TRIES) throw error;
        await delay(PAUSE_MS);
      }
    }
  }
}
