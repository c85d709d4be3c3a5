/** A `pitv serve` under test: with the limits of a small computer, and counts of what it holds. */
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { memoryOfSync } from '../../app/process/memory-account.js';
import { processTree, readText } from '../../app/process/process-tree.js';
import { poll } from './polling.js';
import { ServeChild, countDescriptors, groupOf, isAlive } from './serve.js';

const TABLE = new URL('../../app/limits/table.js', import.meta.url).href;
const KIB_PER_MIB = 1024;
/** Maximum time in which all processes of a TV end after it. */
const END_MS = 10_000;
/** Where each controller is, by version 1 and 2. A process is in one group of version 2 only, that of its memory. */
const ROOTS = {
  memory: ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'],
  pids: ['/sys/fs/cgroup/pids'],
};
/**
 * Names of the files. Sources: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/{memory,pids}.rst of Linux.
 * @param {Controller} controller
 */
const filesOf = (controller) => ({
  limit: `${controller}.max`,
  used: `${controller}.current`,
  kills: `${controller}.events`,
  none: 'max',
});
const MEMORY_V1 = {
  limit: 'memory.limit_in_bytes',
  used: 'memory.usage_in_bytes',
  kills: 'memory.oom_control',
  none: '-1',
};
let groups = 0;

/** @typedef {keyof typeof ROOTS} Controller */

/** A control group, to limit what the processes of a TV use together. */
class ControlGroup {
  /** @param {string} path @param {typeof MEMORY_V1} files */
  constructor(path, files) {
    this.path = path;
    this.files = files;
  }

  /** Creates a control group, where this user may. @param {Controller} controller */
  static create(controller) {
    for (const root of ROOTS[controller]) {
      const path = `${root}/pitv-test-${process.pid}-${groups++}`;
      try {
        mkdirSync(path);
      } catch {
        continue;
      }
      const has = ({ limit } = MEMORY_V1) => existsSync(`${path}/${limit}`);
      const files = [filesOf(controller), MEMORY_V1].find(has);
      if (files) return new ControlGroup(path, files);
      rmdirSync(path); // this hierarchy does not have the controller
    }
    return undefined;
  }

  /** @param {number} [value] bytes or processes; without it there is no limit */
  limit(value) {
    writeFileSync(`${this.path}/${this.files.limit}`, String(value ?? this.files.none));
  }
  /** Bytes or processes in use. */
  get used() {
    return Number(readText(`${this.path}/${this.files.used}`));
  }
  /** Processes that the kernel has killed for their memory. */
  get kills() {
    const text = readText(`${this.path}/${this.files.kills}`) ?? '';
    return Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
  }
}

/**
 * Makes options of Node.js that change values of app/limits/table.js.
 * @param {Record<string, number>} limits @returns {string[]}
 */
function nodeOptions(limits) {
  const changes = Object.entries(limits).map(([name, value]) => `LIMITS.${name}.value = ${value};`);
  if (changes.length === 0) return [];
  const script = `import { LIMITS } from ${JSON.stringify(TABLE)}; ${changes.join(' ')}`;
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
}

/** Counts the files below a folder. @param {string} folder */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;

/** @typedef {{limits?: Record<string, number>, controllers?: Controller[]}} Extra */

export class TvUnderTest extends ServeChild {
  /** Control groups of the TV; those that this user may not create are missing. */
  groups;
  /** Processes that were left after stop(). */
  orphans = 0;

  /**
   * @param {ConstructorParameters<typeof ServeChild>[0] & Extra} [options] limits: values that replace those of
   *   app/limits/table.js; controllers: of the control groups
   */
  constructor({ limits = {}, controllers = [], ...options } = {}) {
    /** @type {Map<Controller, ControlGroup>} */
    const created = new Map();
    for (const controller of controllers) {
      const group = ControlGroup.create(controller);
      if (group) created.set(controller, group);
    }
    const cgroups = [...created.values()].map(({ path }) => path);
    super({ ...options, node: nodeOptions(limits), cgroups });
    this.groups = created;
  }

  /** Unreclaimable memory of all processes, MiB. */
  get memoryMib() {
    return memoryOfSync(processTree(this.pid)).unreclaimableKib / KIB_PER_MIB;
  }

  /**
   * Counts what the main process holds; NaN descriptors when it has ended. It holds one descriptor for each retired
   * zygote that still has children; these are not counted.
   */
  get held() {
    if (!this.running) return { descriptors: NaN, memfds: 0 };
    const { descriptors, memfds } = countDescriptors([this.pid]);
    // A zygote leads a process group.
    const zygotes = new Set([...this.workers.values()].filter(isAlive).map(groupOf));
    zygotes.delete(this.zygotePid);
    zygotes.delete(groupOf(this.pid)); // of a worker that no zygote has forked
    return { descriptors: descriptors - zygotes.size, memfds };
  }

  /** Counts everything that the TV could leak, in all of its processes. */
  sample() {
    const pids = this.processes();
    return {
      memoryKib: memoryOfSync(pids).unreclaimableKib,
      ...countDescriptors(pids),
      processes: pids.length,
      dataFiles: filesIn(this.dataDir),
    };
  }

  /** Ends the TV, and then processes that have outlived it. @override @param {NodeJS.Signals} [signal] */
  async stop(signal) {
    await super.stop(signal);
    const areGone = () => this.processes().length === 0;
    await poll(areGone, END_MS); // the kernel ends the zygote soon after the TV
    const left = this.processes();
    this.orphans = left.length;
    for (const pid of left) process.kill(pid, 'SIGKILL');
    await poll(areGone, END_MS);
    for (const { path } of this.groups.values()) {
      const isEmpty = () => readText(`${path}/cgroup.procs`) === '';
      await poll(isEmpty, END_MS);
      rmdirSync(path);
    }
    this.groups.clear();
  }
}
