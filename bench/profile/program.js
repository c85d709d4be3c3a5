/**
 * Runs the TV that `pitv profile` measures: `node --prof ... program.js '{"dataDir", "hash", ...}'`. It
 * sends 'ready' by IPC, answers 'begin' and 'end' of the measurement, and ends on 'stop' or when the command ends.
 */
import { scryptSync } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createTv } from '../../app/create-tv.js';
import { parseSettings } from '../../app/config/parse.js';
import { inspectWorker } from '../../app/engine/host/inspect-worker.js';
import { PitvError, messageOf } from '../../app/errors.js';
import { silentLog } from '../../app/log.js';
import { makeDirectory } from '../../app/storage/store.js';
import { profilesFolder } from '../../app/inspector/profiles.js';

/**
 * @type {{dataDir: string, hash: 'pool' | 'sync', engine: string, connections: number, seconds: number,
 *   workerFlags: string[], inspectIn: string, password: string}} inspectIn: a folder for CPU profiles of
 *   the workers, or empty
 */
const asked = JSON.parse(process.argv[2]);
const { dataDir, hash, engine, connections, seconds, workerFlags, inspectIn, password } = asked;
const MAX_PROFILE_BYTES = 64 * 1024 * 1024;

process.on('uncaughtException', (error) => {
  const known = error instanceof PitvError;
  process.stderr.write(`${(known ? error.message : error.stack) ?? messageOf(error)}\n`);
  process.exit(1);
});

/** Hashes on the main thread, for comparison. @type {import('../../app/admin/password.js').Hash} */
const hashHere = async (text, { N, r, p, salt }) =>
  scryptSync(text, salt, 32, { N, r, p, maxmem: 2 ** 28 });

const room = String(connections + 8);
const settings = parseSettings(
  [
    '--port',
    '0',
    '--host',
    '127.0.0.1',
    '--data-dir',
    dataDir,
    '--engine',
    engine,
    '--ksm',
    'off',
  ].concat(
    ['--max-clients', room, '--max-clients-per-address', room],
    ['--max-requests-per-second', '1000000'],
  ),
  {},
);
const plenty = { perSecond: 1e6, burst: 1e6 };
const tv = await createTv(settings, silentLog, {
  login: {
    ...(hash === 'sync' && { hash: hashHere }),
    guesses: { one: plenty, all: plenty },
    maxWaiting: connections,
  },
  thorough: true, // a zygote rehearses fully, so that its children have little left to compile
  spawn: (base) => ({ ...base, execArgv: [...base.execArgv, ...workerFlags] }),
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // the command decides when to end
process.once('disconnect', () => {
  tv.kill();
  process.exit(1);
});
await tv.admin.setPassword(password, 'profile');
await tv.start();

/** @type {ReturnType<typeof performance.eventLoopUtilization>} */
let idle;
let beganMs = 0;
/** Forks of a zygote have no tick profiler, so they take CPU profiles of themselves. */
let inspected = Promise.resolve('');

/** @returns {Promise<string>} a sentence if it failed, else empty */
async function inspectWorkers() {
  try {
    await makeDirectory(profilesFolder(dataDir)); // requests to workers go there
    await Promise.all(
      tv.engine.workers.map((worker) => {
        const path = join(inspectIn, `worker-${worker.pid}.cpuprofile`);
        return inspectWorker(worker, { kind: 'cpu', seconds, path, maxBytes: MAX_PROFILE_BYTES });
      }),
    );
    return '';
  } catch (error) {
    return messageOf(error);
  }
}
process.on('message', async (message) => {
  if (message === 'begin') {
    await tv.engine.stats(); // the CPU time below counts from here
    tv.resetMeasurements();
    beganMs = performance.now();
    idle = performance.eventLoopUtilization();
    if (inspectIn) inspected = inspectWorkers();
    process.send?.({ begun: true });
  } else if (message === 'end') {
    const { utilization } = performance.eventLoopUtilization(idle);
    const { loop } = tv.measurements();
    const window = { fromMs: beganMs, toMs: performance.now(), origin: performance.timeOrigin };
    const began = new Map(tv.engine.workers.map(({ id, startedAt }) => [id, startedAt]));
    const workers = (await tv.engine.stats()).map(({ id, name, pid, cpu }) => ({
      name,
      pid,
      cpuPercent: cpu,
      ageMs: beganMs - (began.get(id) ?? beganMs),
    }));
    const problem = await inspected;
    process.send?.({ ended: { utilization, loop, window, workers, problem } });
  } else if (message === 'stop') {
    await tv.stop();
    process.exit(0);
  }
});
process.send?.({ ready: { url: tv.url, code: tv.code, token: tv.admin.token, pid: process.pid } });
