/**
 * Measures where the memory of the whole TV is: the PSS of each process, by kind of mapping, after matches of bumper
 * have run for half a minute with simulated players. It splits the figures of the scenario `memory` further.
 *
 * Kinds: `node` and `files` (libraries, Unicode data) are pages equal to the file, `written` is pages of files that
 * were written to, `malloc` is malloc's heap, and `anonymous` is V8's heaps, stacks, mailboxes and large blocks of
 * malloc. All but `node` and `files` are unreclaimable.
 *
 * The TV runs from a copy of Node.js, as in `memory`.
 */
import { readFileSync } from 'node:fs';
import { KINDS, UNRECLAIMABLE, mappingsOf, sumOf, total } from './mappings.js';
import { copyNode } from '../../harness/node-copy.js';
import { processTree } from '../../../app/process/process-tree.js';
import { startClients, startTv, waitForTicks } from '../../harness/remote-tv.js';

const ENGINES = ['zygote'];
const WORKERS = [4];
const GAME = 'bumper';
const PADS_PER_MATCH = 2;
const TICK_HZ = 60;
const TICKS = 1800;
const TICKS_QUICK = 300;

/** Roles of processes. `match`: a worker that is a process. There may be several; its figures are their mean. */
const ROLES = /** @type {const} */ (['main', 'zygote', 'match', 'spare']);

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'mappings',
  title: 'Memory of the TV after half a minute of play, by process and mapping',
  measures: ['app/engine', 'app/match', 'app/server', 'app/process'],
  timeoutMs: 600_000,
  metrics: [
    { name: 'pss', unit: 'KiB' },
    ...[...ROLES, 'all'].flatMap((role) =>
      ['unreclaimable', ...KINDS].map((kind) => ({
        name: `${role}_${kind}`,
        unit: 'KiB',
        compare: false,
      })),
    ),
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
      /** @param {string} role @returns {[string, number][]} */
      const figuresOf = (role) => {
        const mine = processes.filter((each) => role === 'all' || each.role === role);
        const count = role === 'match' ? Math.max(mine.length, 1) : 1;
        const parts = sumOf(mine.map((each) => each.parts));
        const unreclaimable = UNRECLAIMABLE.reduce((sum, kind) => sum + parts[kind], 0);
        return [
          [`${role}_unreclaimable`, unreclaimable / count],
          ...KINDS.map(
            (kind) => /** @type {[string, number]} */ ([`${role}_${kind}`, parts[kind] / count]),
          ),
        ];
      };
      const pss = total(sumOf(processes.map(({ parts }) => parts)));
      const parts = Object.fromEntries([...ROLES, 'all'].flatMap(figuresOf));
      return { metrics: { pss, ...parts } };
    } finally {
      await tv.stop();
    }
  },
};

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
