/**
 * Measures where the memory of the whole TV is: the PSS of each process, by kind of mapping, after matches of bumper have
 * run for half a minute with simulated players. It splits the figures of the scenario `memory` further.
 *
 * The TV runs from a copy of Node.js, as in `memory`.
 */
import { readFileSync } from 'node:fs';
import { KINDS, mappingsOf, sumOf, total } from './mappings.js';
import { copyNode } from '../../harness/node-copy.js';
import { processTree } from '../../../app/process/process-tree.js';
import { startClients, startTv, waitForTicks } from '../../harness/remote-tv.js';
import { median } from '../../stats/stats.js';
import { groupBy, labelOf } from '../../report/text.js';

const ENGINES = ['zygote'];
const WORKERS = [4];
const GAME = 'bumper';
const PADS_PER_MATCH = 2;
const TICK_HZ = 60;
const TICKS = 1800;
const TICKS_QUICK = 300;
const KIB_PER_MIB = 1024;

/** Roles of processes, in the order of the table. `match`: a worker that is a process; there may be several. */
const ROLES = /** @type {const} */ (['main', 'zygote', 'match', 'spare']);

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'mappings',
  title: 'Memory of the TV after half a minute of play, by process and mapping',
  measures: ['app/engine', 'app/match', 'app/server', 'app/process'],
  timeoutMs: 600_000,
  metrics: [
    { name: 'pss', unit: 'KiB' },
    ...ROLES.map((role) => ({ name: `pss_${role}`, unit: 'KiB', compare: false })),
    ...KINDS.map((kind) => ({ name: `pss_${kind}`, unit: 'KiB', compare: false })),
  ],

  configurations: ({ engines = ENGINES, workers = WORKERS }) =>
    workers.flatMap((count) =>
      engines.map((engine) => ({ variant: engine, engine, workers: count })),
    ),

  cost: ({ engine, workers }, { quick }) => ({
    seconds: (quick ? TICKS_QUICK : TICKS) / TICK_HZ,
    starts: (engine === 'zygote' ? 45 : 8) + Number(workers) * 2,
  }),

  async sample({ engine, workers }, { quick, workDir }) {
    const matches = Number(workers);
    const tv = await startTv({ engine: String(engine), matches }, { node: copyNode(workDir) });
    try {
      const counts = { matches, screens: matches, pads: matches * PADS_PER_MATCH };
      const clients = await startClients(tv, { game: GAME, ...counts });
      await waitForTicks(tv, matches, quick ? TICKS_QUICK : TICKS);
      const processes = measureProcesses(tv.pid);
      await clients.stop();
      const all = sumOf(processes.map(({ parts }) => parts));
      const metrics = {
        pss: total(all),
        ...Object.fromEntries(
          ROLES.map((role) => {
            const mine = processes.filter((each) => each.role === role);
            return [`pss_${role}`, total(sumOf(mine.map(({ parts }) => parts)))];
          }),
        ),
        ...Object.fromEntries(KINDS.map((kind) => [`pss_${kind}`, all[kind]])),
      };
      return { metrics, facts: { processes } };
    } finally {
      await tv.stop();
    }
  },

  notes: (samples) =>
    [...groupBy(samples, ({ configuration }) => labelOf(configuration))].map(
      ([label, mine]) => `mappings, ${label}, MiB of PSS:\n${tableOf(mine)}`,
    ),
};

/**
 * Makes a table of medians. `node` and `files` (libraries, Unicode data) are pages equal to the file, `written` is pages
 * of files that were written to, and `anonymous` is V8's heaps, stacks, mailboxes and large blocks of malloc.
 * @param {import('../../harness/scenarios.js').Sample[]} samples of one configuration @returns {string}
 */
function tableOf(samples) {
  const rows = [...ROLES, 'all'].flatMap((role) => {
    const each = samples.map(({ facts }) => {
      /** @type {{role: string, parts: import('./mappings.js').Parts}[]} */
      const processes = facts.processes;
      const mine = processes.filter((one) => role === 'all' || one.role === role);
      return { count: mine.length, parts: sumOf(mine.map(({ parts }) => parts)) };
    });
    const [{ count }] = each;
    if (count === 0) return [];
    const several = role !== 'all' && count > 1;
    /** @param {(parts: import('./mappings.js').Parts) => number} kib */
    const cell = (kib) =>
      (median(each.map(({ parts }) => kib(parts))) / (several ? count : 1) / KIB_PER_MIB).toFixed(
        1,
      );
    const cells = [...KINDS.map((kind) => cell((parts) => parts[kind])), cell(total)];
    return `| ${several ? `each of ${count}: ` : ''}${role} | ${cells.join(' | ')} |`;
  });
  const head = ['', ...KINDS, 'all'];
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n');
}

/**
 * Measures each process of a tree.
 * @param {number} root pid @returns {{role: (typeof ROLES)[number], parts: import('./mappings.js').Parts}[]}
 */
function measureProcesses(root) {
  return processTree(root).flatMap((pid) => {
    const parts = mappingsOf(pid);
    return parts ? [{ role: roleOf(pid, root), parts }] : [];
  });
}

/** @param {number} pid @param {number} root @returns {(typeof ROLES)[number]} */
function roleOf(pid, root) {
  if (pid === root) return 'main';
  const title = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  if (title.startsWith('pitv:zygote\0')) return 'zygote';
  return title.startsWith('pitv:spare\0') ? 'spare' : 'match';
}
