/**
 * One match, and n screens that watch it: what a frame costs the main thread that hands it to all of
 * them. The match runs in a process of its own, the screens in another one on the same cores.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseSettings } from '../../../app/config/parse.js';
import { silentLog } from '../../../app/log.js';
import { createTv } from '../../../app/create-tv.js';

const SCREENS = [1, 16, 64, 256];
const SCREENS_QUICK = [1, 64];
const PADS = 4;
/** Until the countdown is over. */
const SETTLE_MS = 4000;
const MEASURE_MS = 5000;
const MEASURE_QUICK_MS = 1500;
const LOAD_CLIENTS = fileURLToPath(new URL('../../harness/load-clients.js', import.meta.url));

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'fanout',
  title: 'Frames of one match to n screens over websockets',
  metrics: [
    { name: 'rate', unit: 'frames/s', better: 'higher' },
    { name: 'cpu_frame', unit: 'µs' },
    { name: 'cpu', unit: '% of a core' },
    { name: 'loop_p99', unit: 'ms' },
  ],

  configurations: ({ quick }) =>
    (quick ? SCREENS_QUICK : SCREENS).map((n) => ({ variant: 'websocket', n })),

  async sample({ n }, { quick }) {
    const dataDir = mkdtempSync(join(tmpdir(), 'pitv-fanout-'));
    const where = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir];
    const clients = String(Number(n) + PADS);
    const room = ['--max-clients', clients, '--max-clients-per-address', clients];
    const settings = parseSettings([...where, ...room, '--engine', 'process'], {});
    const tv = await createTv(settings, silentLog);
    try {
      await tv.start();
      const request = { url: tv.url, code: tv.code, screens: n, pads: PADS, matches: 1 };
      const clients = fork(LOAD_CLIENTS, [JSON.stringify({ ...request, game: 'bumper' })]);
      const [message] = await Promise.race([once(clients, 'message'), once(clients, 'exit')]);
      if (message !== 'ready') throw new Error('the clients could not get in');
      const framesSoFar = async () => {
        clients.send('how many?');
        return Number((await once(clients, 'message'))[0]);
      };
      await sleep(SETTLE_MS);
      tv.resetMeasurements();
      const before = {
        frames: await framesSoFar(),
        cpu: process.cpuUsage(),
        at: performance.now(),
      };
      await sleep(quick ? MEASURE_QUICK_MS : MEASURE_MS);
      const { user, system } = process.cpuUsage(before.cpu);
      const seconds = (performance.now() - before.at) / 1000;
      const frames = (await framesSoFar()) - before.frames;
      const { loop } = tv.measurements();
      clients.disconnect();
      await once(clients, 'exit');
      return {
        metrics: {
          rate: frames / seconds,
          cpu_frame: (user + system) / frames,
          cpu: (user + system) / 10_000 / seconds,
          loop_p99: loop.p99,
        },
      };
    } finally {
      await tv.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },

  notes: () => [
    'rate and cpu_frame count each frame as often as it is sent; 60 a second and screen are all.',
  ],
};
