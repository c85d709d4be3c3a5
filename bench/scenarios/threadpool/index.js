/**
 * Measures libuv's thread pool by its size: the article's experiment, 6 PBKDF2 hashes at once; and mixed work, a
 * constant number of pending hashes and file reads, without games and with one busy game per core (workers = games,
 * each a process that computes for 14 of 16.7 ms).
 */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { quantileSorted } from 'simple-statistics';
import { createEngine } from '../../../app/engine/index.js';
import busy from '../loop/games/busy.js';

const POOLS = [1, 2, 4, 6, 8];
const HASHES = 6;
/** Pending operations of the mixed work. */
const MIX = { hashes: 2, reads: 8 };
const MIXED_MS = 1500;
const MIXED_QUICK_MS = 700;
const FILE_BYTES = 64 * 1024 * 1024;
const JOB = fileURLToPath(new URL('./job.js', import.meta.url));
const GAME = new URL('../loop/games/busy.js', import.meta.url);
/** Until the start of the games is over. */
const SETTLE_MS = 300;

const ARTICLE = `${HASHES} hashes`;
const MIXED = `${MIX.hashes} hashes, ${MIX.reads} reads`;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'threadpool',
  title:
    "libuv's thread pool by its size; a hash is PBKDF2 with 10,000 rounds, a read is 64 KiB from the disk",
  measures: ['app/process/io-threads.js', 'app/engine'],
  reference: 'pool of 4',
  minWorkers: 0,
  metrics: [
    { name: 'hash_first', unit: 'ms' },
    { name: 'hash_last', unit: 'ms' },
    { name: 'hashes', unit: '1/s', better: 'higher' },
    { name: 'reads', unit: '1/s', better: 'higher' },
    { name: 'read_p50', unit: 'ms' },
    { name: 'read_p99', unit: 'ms' },
    { name: 'late_ticks', unit: '%' },
  ],

  configurations: () =>
    POOLS.flatMap((size) => {
      const variant = `pool of ${size}`;
      return [
        { variant, level: ARTICLE, workers: 0 },
        { variant, level: MIXED, workers: 0 },
        { variant, level: MIXED, workers: availableParallelism() },
      ];
    }),

  async sample({ variant, level, workers }, { quick, workDir }) {
    const size = Number(variant.split(' ').at(-1));
    if (level === ARTICLE) {
      const { times, cpuMs } = await run(size, { kind: 'hashes', count: HASHES });
      times.sort(byNumber);
      /** @type {Record<string, number>} */
      const metrics = { hash_first: times[0], hash_last: times[HASHES - 1] };
      return { metrics, facts: { cpuMs } };
    }
    const file = join(workDir, 'threadpool.bin');
    if (!existsSync(file)) writeFileSync(file, Buffer.alloc(FILE_BYTES, 7), { flush: true });
    const games = await startGames(workers ?? 0);
    try {
      const before = games.late();
      const milliseconds = quick ? MIXED_QUICK_MS : MIXED_MS;
      const done = await run(size, { kind: 'mixed', milliseconds, ...MIX, file });
      const after = games.late();
      const reads = done.reads.sort(byNumber);
      /** @type {Record<string, number>} */
      const metrics = {
        hashes: done.hashes.length / done.seconds,
        reads: reads.length / done.seconds,
        read_p50: quantileSorted(reads, 0.5),
        read_p99: quantileSorted(reads, 0.99),
      };
      const ticks = after.ticks - before.ticks;
      if (ticks > 0) metrics.late_ticks = (100 * (after.late - before.late)) / ticks;
      return { metrics, facts: { direct: done.direct } };
    } finally {
      await games.close();
    }
  },

  notes(samples) {
    const cached = samples.some(({ facts }) => facts.direct === false);
    return [
      ...(cached
        ? [
            'threadpool: the file system does not support O_DIRECT, so reads came from the page cache.',
          ]
        : []),
      `threadpool: this machine has ${availableParallelism()} cores; the article’s has 4.`,
    ];
  },
};

const byNumber = (/** @type {number} */ a, /** @type {number} */ b) => a - b;

/** Runs job.js. @param {number} size of the pool @param {object} request @returns {Promise<any>} its result */
async function run(size, request) {
  const { stdout } = await promisify(execFile)(process.execPath, [JOB, JSON.stringify(request)], {
    env: { ...process.env, UV_THREADPOOL_SIZE: String(size) },
    maxBuffer: Infinity,
  });
  return JSON.parse(stdout);
}

/** Starts games that keep a core busy each. @param {number} count */
async function startGames(count) {
  if (count === 0) return { late: () => ({ late: 0, ticks: 0 }), close: async () => {} };
  const engine = await createEngine('process', { maxWorkers: count });
  const options = { seed: 1, match: 1 };
  const start = () => engine.start(GAME, { name: 'busy', sizes: busy.sizes(options), options });
  const workers = await Promise.all(Array.from({ length: count }, start));
  await delay(SETTLE_MS);
  return {
    late: () => ({
      late: workers.reduce((sum, { mailbox }) => sum + mailbox.lateTicks, 0),
      ticks: workers.reduce((sum, { mailbox }) => sum + mailbox.tick, 0),
    }),
    close: () => engine.close(),
  };
}
