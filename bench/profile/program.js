/**
 * Runs the TV that `pitv profile` measures: `node program.js '{"folder", "hash", ...}'`. Sends its address by IPC,
 * answers the messages 'begin' and 'end' of the measurement, and ends at 'stop' or when the command ends.
 */
import { scryptSync } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { inspectWorker } from '../../app/engine/host/inspect-worker.js';
import { captureInspection } from '../../app/engine/worker/capture-inspection.js';
import { PitvError, messageOf } from '../../app/errors.js';
import { makeDirectory } from '../../app/storage/store.js';
import { profilesFolder } from '../../app/system/profiles.js';
import { startLocalTv } from '../harness/local-tv.js';

/**
 * @type {{folder: string, hash: 'pool' | 'sync', engine: string, connections: number, seconds: number,
 *   workers: boolean, password: string}} folder: for CPU profiles; workers: profile them, too
 */
const request = JSON.parse(process.argv[2]);
const { folder, hash, engine, connections, seconds, workers, password } = request;
const MAX_PROFILE_BYTES = 64 * 1024 * 1024;

process.on('uncaughtException', (error) => {
  const known = error instanceof PitvError;
  process.stderr.write(`${(known ? error.message : error.stack) ?? messageOf(error)}\n`);
  process.exit(1);
});

/** Hashes on the main thread, for comparison. @type {import('../../app/admin/password.js').Hash} */
const hashSync = async (text, { N, r, p, salt }) =>
  scryptSync(text, salt, 32, { N, r, p, maxmem: 2 ** 28 });

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // the command decides when to end
const maxClients = String(connections + 8);
const limits = ['--max-clients', maxClients, '--max-clients-per-address', maxClients];
const flags = ['--engine', engine, '--ksm', 'off', '--max-requests-per-second', '1000000'];
const unlimited = { perSecond: 1e6, burst: 1e6 };
const { tv, dataDir, close } = await startLocalTv([...flags, ...limits], {
  login: {
    ...(hash === 'sync' && { hash: hashSync }),
    attempts: { one: unlimited, all: unlimited },
    maxWaiting: connections,
  },
  thorough: true, // a zygote rehearses completely, so that its children compile little
});
process.once('disconnect', () => {
  tv.kill();
  process.exit(1);
});
await tv.admin.setPassword(password, 'profile');

/** @type {ReturnType<typeof performance.eventLoopUtilization>} */
let idle;
/** @type {Promise<unknown>} */
let profiled;
/** @type {typeof tv.engine.workers} */
let profiledWorkers = [];

/** @param {string} name */
const pathOf = (name) => join(folder, `${name}.cpuprofile`);
/** @param {string} name @returns {import('../../app/engine/worker/capture-inspection.js').Inspection} */
const inspectionOf = (name) => ({
  kind: 'cpu',
  seconds,
  path: pathOf(name),
  maxBytes: MAX_PROFILE_BYTES,
});

async function begin() {
  await tv.engine.stats(); // the next call returns the CPU time since this one
  await makeDirectory(profilesFolder(dataDir)); // for requests to workers
  tv.resetMeasurements();
  idle = performance.eventLoopUtilization();
  profiledWorkers = workers ? tv.engine.workers : [];
  profiled = Promise.all([
    captureInspection(inspectionOf('main')),
    ...profiledWorkers.map((worker) => inspectWorker(worker, inspectionOf(String(worker.id)))),
  ]);
}

async function end() {
  const { utilization } = performance.eventLoopUtilization(idle);
  const { loop } = tv.measurements();
  const stats = await tv.engine.stats();
  await profiled;
  const threads = profiledWorkers.map(({ id, name, pid }) => {
    const { cpu = 0 } = stats.find((each) => each.id === id) ?? {};
    const busy = `CPU ${cpu.toFixed(1)} % of a core`;
    return { name: `worker ${name} ${pid}`, busy, path: pathOf(String(id)) };
  });
  const busy = `event loop busy ${(100 * utilization).toFixed(1)} % of the time`;
  return { loopMs: loop, threads: [{ name: 'main', busy, path: pathOf('main') }, ...threads] };
}

process.on('message', async (message) => {
  if (message === 'begin') {
    await begin();
    process.send?.('begun');
  } else if (message === 'end') {
    process.send?.(await end());
  } else if (message === 'stop') {
    await close();
    process.exit(0);
  }
});
process.send?.({ url: tv.url, code: tv.code });
