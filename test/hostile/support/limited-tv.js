/** A `pitv serve` with the memory and descriptors of a small computer. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { memoryOfSync } from '../../../app/process/memory-account.js';
import { processTree } from '../../../app/process/process-tree.js';
import { poll } from '../../support/polling.js';
import { ServeChild, descriptorsOf } from '../../support/serve.js';

const TABLE = new URL('../../../app/limits/table.js', import.meta.url).href;

export const MEMORY_BYTES = 256 * 1024 * 1024;
export const DESCRIPTORS = 1024;
const KIB_PER_MIB = 1024;
/** Maximum time in which all processes of a TV end after it. */
const STOP_MS = 10_000;
/**
 * How each version of control groups names its files.
 * Sources: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of Linux.
 */
const VERSIONS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', kills: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', kills: 'memory.events' },
];

/**
 * Makes options of Node.js that change values of app/limits/table.js.
 * @param {Record<string, number>} limits
 * @returns {string[]}
 */
function nodeOptions(limits) {
  const changes = Object.entries(limits).map(([name, value]) => `LIMITS.${name}.value = ${value};`);
  if (changes.length === 0) return [];
  const script = `import { LIMITS } from ${JSON.stringify(TABLE)}; ${changes.join(' ')}`;
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
}

/**
 * Creates a control group, where this user may: the kernel kills a process that makes it exceed its memory.
 * @returns {{path: string, kills: string} | undefined} its folder, and the file that counts killed processes
 */
function createMemoryGroup() {
  for (const { root, limit, kills } of VERSIONS) {
    const path = `${root}/pitv-hostile-${process.pid}-${performance.now().toFixed(0)}`;
    try {
      mkdirSync(path);
    } catch {
      continue;
    }
    if (existsSync(`${path}/${limit}`)) {
      writeFileSync(`${path}/${limit}`, String(MEMORY_BYTES));
      return { path, kills: `${path}/${kills}` };
    }
    rmdirSync(path); // the memory controller is not available in this hierarchy
  }
  return undefined;
}

export class LimitedTv extends ServeChild {
  #group;

  /**
   * @param {string[]} args more options of `pitv serve`
   * @param {Record<string, number>} [limits] values that replace those of the TV
   */
  constructor(args, limits = {}) {
    const group = createMemoryGroup();
    super({
      // By itself the TV would count the group's page cache as memory in use, and allow fewer matches.
      args: ['--udp', '0', '--max-matches', '8', ...args],
      node: nodeOptions(limits),
      cgroups: group ? [group.path] : [],
      descriptors: DESCRIPTORS,
    });
    this.#group = group;
  }

  /** Descriptors of the main process; NaN when it has ended, which breaks every rule. */
  get descriptors() {
    return this.running ? descriptorsOf(this.pid).length : NaN;
  }
  /** Unreclaimable memory of all processes, MiB. */
  get memoryMib() {
    return memoryOfSync(processTree(this.pid)).unreclaimableKib / KIB_PER_MIB;
  }
  /** Processes that the kernel has killed for their memory. */
  get kills() {
    const text = this.#group ? readFileSync(this.#group.kills, 'utf8') : '';
    return Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
  }

  /** @override */
  async stop() {
    await super.stop();
    const { path } = this.#group ?? {};
    if (!path || !existsSync(path)) return;
    // The kernel ends the zygote soon after the TV.
    await poll(() => readFileSync(`${path}/cgroup.procs`, 'utf8') === '', STOP_MS);
    rmdirSync(path);
  }
}
