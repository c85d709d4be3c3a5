/**
 * Runs the TV that `pitv profile` measures: `node --prof ... program.js '{"dataDir", "hash", ...}'`. Sends 'ready' by
 * IPC, answers the messages 'begin' and 'end' of the measurement, and ends at 'stop' or when the command ends.
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
const request = JSON.parse(process.argv[2]);
const { dataDir, hash, engine, connections, seconds, workerFlags, inspectIn, password } = request;
const MAX_PROFILE_BYTES = 64 * 1024 * 1024;

process.on('uncaughtException', (error) => {
  const known = error instanceof PitvError;
  process.stderr.write(`${(known ? error.message : error.stack) ?? messageOf(error)}\n`);
  process.exit(1);
});

/** Hashes on the main thread, for comparison. @type {import('../../app/admin/password.js').Hash} */
const hashSync = async (text, { N, r, p, salt }) =>
  scryptSync(text, salt, 32, { N, r, p, maxmem: 2 ** 28 });

const maxClients = String(connections + 8);
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
    ['--max-clients', maxClients, '--max-clients-per-address', maxClients],
    ['--max-requests-per-second', '1000000'],
  ),
  {},
);
const unlimited = { perSecond: 1e6, burst: 1e6 };
const tv = await createTv(settings, silentLog, {
  login: {
    ...(hash === 'sync' && { hash: hashSync }),
    attempts: { one: unlimited, all: unlimited },
    maxWaiting: connections,
  },
  thorough: true, // a zygote rehearses completely, so that its children compile little
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
/** Resolves when the CPU profiles of workers are written. Forks of a zygote have no tick profiler. */
let inspected = Promise.resolve('');

/** Takes CPU profiles of the workers. @returns {Promise<string>} an error message, or empty */
async function inspectWorkers() {
  try {
    await makeDirectory(profilesFolder(dataDir)); // for requests to workers
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
    await tv.engine.stats(); // the next call returns the CPU time since this one
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
