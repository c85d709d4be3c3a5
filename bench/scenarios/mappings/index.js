/**
 * Where the memory of the whole TV is: the PSS of each of its processes, by what is mapped there, with
 * matches of bumper that people have played for half a minute. What is told apart in `memory` only as
 * files and anonymous memory is told here by whom it belongs to.
 *
 * Node is run from a copy of its file, as in `memory`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KINDS, mappingsOf, sumOf, total } from './mappings.js';
import { copyNode } from '../../harness/node-copy.js';
import { processTree } from '../../machine/proc.js';
import { labelOf } from '../../report/results.js';
import { startTv, waitForTicks } from '../../harness/remote-tv.js';
import { median } from '../../stats/stats.js';
import { groupBy } from '../../report/text.js';

const ENGINES = ['zygote'];
const WORKERS = [4];
const GAME = 'bumper';
const PADS_A_MATCH = 2;
const TICK_HZ = 60;
const TICKS = 1800;
const TICKS_QUICK = 300;
const KIB_A_MIB = 1024;
const LOAD_CLIENTS = fileURLToPath(new URL('../../harness/load-clients.js', import.meta.url));

/** In the order of the table. `match`: each worker that is a process, of which there may be several. */
const ROLES = /** @type {const} */ (['main', 'zygote', 'match', 'spare']);

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'mappings',
  title: 'Where the memory of the TV is after half a minute of play, by process and mapping',
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
      const { url, code } = tv;
      const counts = { screens: matches, pads: matches * PADS_A_MATCH };
      const request = { url, code, matches, game: GAME, ...counts };
      const clients = fork(LOAD_CLIENTS, [JSON.stringify(request)]);
      const [said] = await Promise.race([once(clients, 'message'), once(clients, 'exit')]);
      if (said !== 'ready') throw new Error('the clients could not get in');
      await waitForTicks(tv, matches, quick ? TICKS_QUICK : TICKS);
      const processes = look(tv.pid);
      clients.disconnect();
      await once(clients, 'exit');
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
 * Medians. `node` and `files` (libraries, Unicode's data) are as they are on the disk, `written` what was
 * changed of them; `anonymous` are V8's heaps, stacks, mailboxes, large blocks of malloc.
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
      (median(each.map(({ parts }) => kib(parts))) / (several ? count : 1) / KIB_A_MIB).toFixed(1);
    const cells = [...KINDS.map((kind) => cell((parts) => parts[kind])), cell(total)];
    return `| ${several ? `each of ${count}: ` : ''}${role} | ${cells.join(' | ')} |`;
  });
  const head = ['', ...KINDS, 'all'];
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n');
}

/**
 * @param {number} root @returns {{role: (typeof ROLES)[number], parts: import('./mappings.js').Parts}[]}
 */
function look(root) {
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
