/** Runs a TV under V8's tick profiler, keeps it busy, and reads the profiler's logs. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PitvError } from '../../app/errors.js';
import { readCpuProfile, toCpuProfile } from './cpu-profile.js';
import { SCENARIOS } from './load.js';
import { logsOf } from './logs.js';
import { summarise } from './summary.js';
import { readTicks } from './ticks.js';

const PROGRAM = fileURLToPath(new URL('./program.js', import.meta.url));
const STOP_MS = 5000;

/**
 * @typedef {object} ProfileOptions
 * @property {string} scenario one of SCENARIOS
 * @property {number} seconds @property {number} connections
 * @property {boolean} workers whether to profile the workers as well
 * @property {'thread' | 'process' | 'zygote'} engine
 * @property {'pool' | 'sync'} hash where passwords are hashed: in the thread pool, or on the main thread
 * @property {AbortSignal} signal
 * @property {(text: string) => void} [onProgress]
 *
 * @typedef {object} ThreadProfile
 * @property {string} name `main`, or `worker ...`
 * @property {import('./summary.js').Summary} summary
 * @property {import('./cpu-profile.js').CpuProfile} profile the same samples, for a flame graph
 * @property {number} [utilization] of the event loop, 0..1
 * @property {number} [cpuPercent] of a core
 *
 * @typedef {object} Profile
 * @property {string} scenario @property {number} seconds @property {number} connections
 * @property {string} engine @property {string} hash
 * @property {Record<string, number>} figures as seen by the clients
 * @property {{p50: number, p99: number, max: number}} loopMs delay of the event loop
 * @property {ThreadProfile[]} threads the main thread first
 */

/**
 * Profiles a TV under load.
 * @param {ProfileOptions} options
 * @returns {Promise<Profile>}
 * @throws {PitvError} PITV_PROFILE_FAILED, PITV_PROFILE_LOAD, PITV_PROFILE_LOG, PITV_AUTOCANNON_MISSING
 * @throws the reason of the signal
 */
export async function profile(options) {
  await SCENARIOS[options.scenario].needs?.();
  const folder = await mkdtemp(join(tmpdir(), 'pitv-profile-'));
  try {
    return await profileIn(folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Returns the flags of the profiler. If V8 copied its built-ins close to compiled code, the log would have no names for
 * them; the second flag prevents this. Not every version of V8 has it.
 * @returns {Promise<string[]>}
 */
async function v8Flags() {
  const { stdout } = await promisify(execFile)(process.execPath, ['--v8-options']);
  return [
    '--prof',
    ...(stdout.includes('--short-builtin-calls') ? ['--no-short-builtin-calls'] : []),
  ];
}

/** @param {string} folder @param {ProfileOptions} options @returns {Promise<Profile>} */
async function profileIn(folder, options) {
  const { scenario, seconds, connections, workers, engine, hash, signal, onProgress } = options;
  const password = randomBytes(12).toString('base64url');
  const flags = await v8Flags();
  const tv = startProgram(
    [...flags, `--logfile=${join(folder, 'main.log')}`],
    {
      dataDir: join(folder, 'data'),
      hash,
      engine,
      connections,
      seconds,
      password,
      inspectIn: workers && engine === 'zygote' ? folder : '',
      workerFlags:
        workers && engine === 'process'
          ? [...flags, `--logfile=${join(folder, 'worker-%p.log')}`]
          : [],
    },
    signal,
  );
  let done;
  let ended;
  try {
    onProgress?.('starting a TV under the profiler');
    const target = { ...(await tv.next('ready')), password };
    const load = {
      connections,
      seconds,
      signal,
      begin: async () => {
        onProgress?.(`${SCENARIOS[scenario].about}, for ${seconds} s`);
        tv.send('begin');
        await tv.next('begun');
      },
    };
    done = await Promise.race([SCENARIOS[scenario].run(target, load), tv.failed]);
    tv.send('end');
    ended = await tv.next('ended');
    if (ended.problem) {
      throw new PitvError(
        'PITV_PROFILE_FAILED',
        `A worker could not be profiled: ${ended.problem}`,
      );
    }
    tv.send('stop');
    await tv.exited(STOP_MS);
  } finally {
    tv.kill();
  }
  onProgress?.('reading the logs');
  const logs = await logsOf(folder, engine);
  const { fromMs, toMs, origin } = ended.window;
  // Times in the log are relative to its creation, some time after the start of the process.
  const lateMs = Math.max(0, Math.min(logs.mainCreatedMs - origin, fromMs));
  const within = { fromMs: fromMs - lateMs, toMs: toMs - lateMs, signal };
  const main = await readTicks(logs.main, within);
  /** @type {ThreadProfile[]} */
  const threads = [
    {
      name: 'main',
      summary: summarise(main),
      profile: toCpuProfile(main),
      utilization: ended.utilization,
    },
  ];
  for (const [i, path] of (workers ? logs.workers : []).entries()) {
    const pid = Number(/worker-(\d+)\.\w+$/.exec(path)?.[1]);
    const about =
      ended.workers.find((/** @type {any} */ one) => one.pid === pid) ?? ended.workers[i];
    // The log begins when the worker starts. Loading its code is not part of the profile.
    const ticks = path.endsWith('.cpuprofile')
      ? await readCpuProfile(path)
      : await readTicks(path, { fromMs: about?.ageMs, signal });
    const name = `worker ${about?.name ?? ''} ${pid || i + 1}`.replace(/ +/g, ' ');
    threads.push({
      name,
      summary: summarise(ticks),
      profile: toCpuProfile(ticks),
      cpuPercent: about?.cpuPercent,
    });
  }
  const { p50, p99, max } = ended.loop;
  const loopMs = { p50, p99, max };
  return { scenario, seconds, connections, engine, hash, figures: done.figures, loopMs, threads };
}

/**
 * Starts program.js.
 * @param {string[]} execArgv @param {object} request @param {AbortSignal} signal
 */
function startProgram(execArgv, request, signal) {
  const child = spawn(process.execPath, [...execArgv, PROGRAM, JSON.stringify(request)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-4000)));
  const closed = new Promise((resolve) => child.once('close', resolve));
  /** @type {Promise<never>} */
  const failed = new Promise((_, reject) => {
    child.once('error', reject);
    child.once('close', (code, by) => {
      const why = errors.trim() || `it ended with ${by ?? code}`;
      reject(new PitvError('PITV_PROFILE_FAILED', `The TV to be profiled failed: ${why}`));
    });
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  failed.catch(() => {});
  return {
    failed,
    /** @param {string} message */
    send: (message) => void child.send(message, () => {}),
    /** Waits for a message. @param {string} name @returns {Promise<any>} */
    next: (name) =>
      Promise.race([
        failed,
        new Promise((resolve) => {
          /** @param {any} message */
          const onMessage = (message) => {
            if (!(name in message)) return;
            child.off('message', onMessage);
            resolve(message[name]);
          };
          child.on('message', onMessage);
        }),
      ]),
    /** Waits for the end, and kills the program after a time. @param {number} withinMs */
    async exited(withinMs) {
      const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
      await closed;
      clearTimeout(timer);
    },
    kill() {
      // Its worker processes get the kernel's parent-death signal.
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    },
  };
}
