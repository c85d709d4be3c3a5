/**
 * Does the main thread stay free? Event-loop delay, and the time from a pad's message until the first
 * frame that shows it is sent, with 0..8 matches and 32 clients. `bumper` is the game as it is played;
 * `busy` takes 14 ms of each tick of 16.7, so that as many matches as cores keep all of them busy. The
 * clients run on the same cores.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadCatalog } from '../../../app/lobby/catalog.js';
import { parseSettings } from '../../../app/config/parse.js';
import { ENGINES } from '../../../app/engine/index.js';
import { silentLog } from '../../../app/log.js';
import { createTv } from '../../../app/create-tv.js';

const SCREENS = 8;
const PADS = 24;
const MATCHES = [0, 1, 2, 4, 8];
const MATCHES_QUICK = [0, 2, 8];
/** Longer than the countdown of the first round. */
const SETTLE_MS = 4000;
const MEASURE_MS = 10_000;
const MEASURE_QUICK_MS = 4000;
const GAMES = fileURLToPath(new URL('./games', import.meta.url));
const LOAD_CLIENTS = fileURLToPath(new URL('../../harness/load-clients.js', import.meta.url));

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'loop',
  title: `Event-loop delay and input-to-frame latency with ${SCREENS + PADS} clients; n = matches`,
  metrics: [
    { name: 'loop_p50', unit: 'ms' },
    { name: 'loop_p99', unit: 'ms' },
    { name: 'loop_max', unit: 'ms' },
    { name: 'latency_p50', unit: 'ms' },
    { name: 'latency_p99', unit: 'ms' },
    { name: 'late_ticks', unit: '%' },
  ],

  configurations: ({ quick, engines = ENGINES }) =>
    (quick ? MATCHES_QUICK : MATCHES).flatMap((n) =>
      engines.flatMap((engine) =>
        (n === 0 ? ['bumper'] : ['bumper', 'busy']).map((variant) => ({ variant, engine, n })),
      ),
    ),

  async sample({ variant, engine, n }, { quick }) {
    const matches = n ?? 0;
    const dataDir = mkdtempSync(join(tmpdir(), 'pitv-loop-'));
    const where = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir];
    const flags = [...where, '--max-pads-per-address', String(PADS)];
    const settings = parseSettings([...flags, '--engine', engine ?? '', '--max-matches', '8']);
    const tv = await createTv(settings, silentLog, {
      games: await loadCatalog(GAMES),
      thorough: true,
    });
    try {
      await tv.start();
      const request = { url: tv.url, code: tv.code, screens: SCREENS, pads: PADS, matches };
      const clients = fork(LOAD_CLIENTS, [JSON.stringify({ ...request, game: variant })]);
      const [message] = await Promise.race([once(clients, 'message'), once(clients, 'exit')]);
      if (message !== 'ready') throw new Error('the clients could not get in');
      await sleep(SETTLE_MS);
      const before = await tv.engine.stats();
      tv.resetMeasurements();
      await sleep(quick ? MEASURE_QUICK_MS : MEASURE_MS);
      const { loop, latency } = tv.measurements();
      const after = await tv.engine.stats();
      clients.disconnect();
      await once(clients, 'exit');
      /** @param {'ticks' | 'lateTicks'} field */
      const gained = (field) =>
        after.reduce((sum, worker, i) => sum + worker[field] - (before[i]?.[field] ?? 0), 0);
      if (matches > 0 && latency.count === 0) throw new Error('no input was shown by any frame');
      return {
        metrics: {
          loop_p50: loop.p50,
          loop_p99: loop.p99,
          loop_max: loop.max,
          latency_p50: latency.p50,
          latency_p99: latency.p99,
          late_ticks: matches > 0 ? (100 * gained('lateTicks')) / gained('ticks') : 0,
        },
        facts: { inputs: latency.count, ticks: gained('ticks') },
      };
    } finally {
      await tv.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },

  notes() {
    return [`This machine has ${availableParallelism()} cores; a tick lasts 16.7 ms.`];
  },
};
