/** Profiles a TV under load. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';
import { Child } from '../harness/child.js';
import { SCENARIOS } from './load.js';

const PROGRAM = fileURLToPath(new URL('./program.js', import.meta.url));
const STOP_MS = 5000;

/**
 * @typedef {object} ProfileOptions
 * @property {string} scenario one of SCENARIOS
 * @property {number} seconds @property {number} connections
 * @property {boolean} workers whether to profile the workers as well
 * @property {string} engine
 * @property {'pool' | 'sync'} hash where passwords are hashed: in the thread pool, or on the main thread
 * @property {AbortSignal} signal
 * @property {(text: string) => void} [onProgress]
 *
 * @typedef {object} ThreadProfile
 * @property {string} name `main`, or `worker ...`
 * @property {string} busy how busy it was
 * @property {import('./text.js').CpuProfile} profile
 *
 * @typedef {object} Profile
 * @property {string} title
 * @property {Record<string, number>} figures as seen by the clients
 * @property {{p50: number, p99: number, max: number}} loopMs delay of the event loop
 * @property {ThreadProfile[]} threads the main thread first
 */

/**
 * Profiles a TV under load.
 * @param {ProfileOptions} options
 * @returns {Promise<Profile>}
 * @throws {PitvError} PITV_PROFILE_FAILED, PITV_PROFILE_LOAD, PITV_AUTOCANNON_MISSING
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

/** @param {string} folder @param {ProfileOptions} options @returns {Promise<Profile>} */
async function profileIn(folder, { scenario, signal, onProgress, ...options }) {
  const { seconds, connections, engine, hash } = options;
  const password = randomBytes(12).toString('base64url');
  const tv = startProgram({ ...options, folder, password }, signal);
  try {
    onProgress?.('starting a TV');
    const target = { ...(await tv.next()), password };
    const load = {
      connections,
      seconds,
      signal,
      begin: async () => {
        onProgress?.(`${SCENARIOS[scenario].about}, for ${seconds} s`);
        await tv.ask('begin');
      },
    };
    const { figures } = await Promise.race([SCENARIOS[scenario].run(target, load), tv.failed]);
    const { loopMs, threads } = await tv.ask('end');
    const profiles = threads.map(async (/** @type {any} */ { name, busy, path }) => {
      return { name, busy, profile: JSON.parse(await readFile(path, 'utf8')) };
    });
    await tv.stop();
    const how =
      scenario === 'login' ? `, hashing ${hash === 'sync' ? 'synchronously' : 'in the pool'}` : '';
    const title = `${scenario}: ${connections} connections for ${seconds} s, engine ${engine}${how}`;
    return { title, figures, loopMs, threads: await Promise.all(profiles) };
  } finally {
    tv.kill();
  }
}

/**
 * Starts program.js.
 * @param {{folder: string, [name: string]: unknown}} request folder: for its files @param {AbortSignal} signal
 */
function startProgram(request, signal) {
  const env = { ...process.env, TMPDIR: request.folder };
  const child = new Child(PROGRAM, request, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env });
  const { process: program } = child;
  let errors = '';
  program.stderr?.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-4000)));
  const closed = new Promise((resolve) => program.once('close', resolve));
  /** @type {Promise<never>} */
  const failed = new Promise((_, reject) => {
    program.once('error', reject);
    program.once('close', (code, by) => {
      const why = errors.trim() || `it ended with ${by ?? code}`;
      reject(new PitvError('PITV_PROFILE_FAILED', `The TV to be profiled failed: ${why}`));
    });
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  failed.catch(() => {});
  // Its error is in `failed`, with what it has printed.
  const orFail = (/** @type {Promise<any>} */ answer) =>
    Promise.race([failed, answer.catch(() => failed)]);
  const kill = () => void program.kill('SIGKILL'); // its workers get the kernel's parent-death signal
  return {
    failed,
    next: () => orFail(child.next()),
    /** @param {string} message */
    ask: (message) => orFail(child.ask(message)),
    /** Ends the program, and kills it if that takes long. */
    async stop() {
      const timer = setTimeout(kill, STOP_MS);
      program.send('stop', () => {});
      await closed;
      clearTimeout(timer);
    },
    kill,
  };
}
