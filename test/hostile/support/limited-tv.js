/** Runs a real `pitv serve` with the memory and descriptors of a small computer. */
import { existsSync, readdirSync } from 'node:fs';
import { memoryOfSync } from '../../../app/process/memory-account.js';
import { processTree } from '../../../app/process/process-tree.js';
import { serve } from '../../e2e/tv.js';
import { createMemoryGroup } from './memory-group.js';

const TABLE = new URL('../../../app/limits/table.js', import.meta.url).href;

export const MEMORY_BYTES = 256 * 1024 * 1024;
export const DESCRIPTORS = 1024;
const KIB_PER_MIB = 1024;
/** pino's level of an error. */
const ERROR_LEVEL = 50;

/** Sets the limits, then becomes the command: `sh -c LIMITED sh GROUP COMMAND ...`. */
const LIMITED = `
  ulimit -n ${DESCRIPTORS} || exit 1
  if [ -n "$1" ]; then echo $$ > "$1/cgroup.procs" || exit 1; fi
  shift
  exec "$@"`;

/** @typedef {Awaited<ReturnType<typeof startLimitedTv>>} LimitedTv */

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
 * Starts a TV that also accepts datagrams.
 * @param {string[]} flags more options of `pitv serve`
 * @param {Record<string, number>} [limits] values that replace those of the TV
 */
export async function startLimitedTv(flags, limits = {}) {
  const group = createMemoryGroup(MEMORY_BYTES);
  const tv = await serve({
    // By itself the TV would count the group's page cache as memory in use, and allow fewer matches.
    flags: ['--udp', '0', '--max-matches', '8', ...flags],
    node: nodeOptions(limits),
    wrap: ['/bin/sh', '-c', LIMITED, 'sh', group?.path ?? ''],
  });
  const folder = `/proc/${tv.pid}/fd`;
  const lines = () => tv.log().split('\n').slice(0, -1);

  const { adminToken } = tv;
  /** @param {string} method @returns {Promise<Response>} */
  const askMeasurements = (method) =>
    fetch(`${tv.url}/api/measurements`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, connection: 'close' },
    });

  return {
    ...tv,
    async stop() {
      await tv.stop();
      group?.remove();
    },
    host: '127.0.0.1',
    port: Number(new URL(tv.url).port),
    /** Whether the main process has ended. */
    ended: () => !existsSync(folder),
    /** Descriptors of the main process; NaN when it has ended, which breaks every rule. */
    descriptors: () => (existsSync(folder) ? readdirSync(folder).length : NaN),
    /** Unreclaimable memory of all processes, MiB. */
    memoryMib: () => memoryOfSync(processTree(tv.pid)).unreclaimableKib / KIB_PER_MIB,
    /** Begins to measure the event loop's delay. */
    resetMeasurements: () => askMeasurements('DELETE'),
    /** @returns {Promise<{loop: import('../../../app/server/loop-delay.js').Delay}>} since resetMeasurements() */
    measurements: async () => (await askMeasurements('GET')).json(),
    /** Lines logged so far. */
    logLines: () => lines().length,
    /** The errors among the lines from `start` on. @param {number} start */
    errorsSince: (start) =>
      lines()
        .slice(start)
        .filter((line) => !line.startsWith('{') || JSON.parse(line).level >= ERROR_LEVEL),
    /** Processes that the kernel has killed for their memory. */
    kills: () => group?.kills() ?? 0,
    /** Whether the kernel enforces the memory limit. */
    enforced: group !== undefined,
  };
}
