/**
 * Starts processes with a channel. Some lock themselves before they load code of strangers. They have no IPC channel of
 * Node.js, whose messages are not bounded, and by which a process can make this one open ports or throw.
 */
import { spawn as spawnProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../errors.js';
import { workerLimits } from '../../limits/workers.js';
import { NATIVE_FILE, native } from '../../native/native.js';
import { limitProcess } from './control-groups.js';
import { NODE_FILES } from '../lock.js';
import { lowerPriority, raiseOomScore } from '../worker/process-setup.js';
import { ChildChannel } from '../zygote/child-channel.js';
import { KIND, encode } from '../zygote/channel.js';
import { endWithThread } from '../zygote/process-handle.js';

/** @typedef {import('./process-worker.js').SpawnOptions} SpawnOptions */

/** What Node.js and the entry read before the game is loaded: code of pitv, and settings of OpenSSL. */
const READABLE = [
  ...['../../', '../../../ksm/addon/', '../../../package.json'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  ),
  NATIVE_FILE,
  '/etc/ssl/openssl.cnf',
  '/usr/lib/ssl/openssl.cnf',
  ...NODE_FILES,
];
/** Descriptors before `descriptors` of startLocked(): stdin, stdout, stderr, the channel. */
const FIRST_DESCRIPTOR = 4;
/** Variables of the environment that a locked process gets. */
const VARIABLES = ['NODE_ENV', 'LD_LIBRARY_PATH'];

/**
 * @typedef {object} LockedProcess
 * @property {import('node:child_process').ChildProcess} child its descriptor 3 is the channel, see
 *   worker/locked-program.js
 * @property {ChildChannel} channel
 * @property {Promise<void>} closed resolves when all messages of the ended process have been read
 *
 * @typedef {Partial<Omit<import('../zygote/child-channel.js').ChannelEvents, 'closed'>>} Events
 */

/**
 * Starts a program that waits for a request.
 * @param {string[]} args of Node.js
 * @param {object} how
 * @param {NodeJS.ProcessEnv} how.env
 * @param {'ignore' | 'inherit'} how.stdout
 * @param {number[]} how.descriptors for the child, from 4 on
 * @param {object} how.request
 * @param {boolean} [how.messages] see startLocked()
 * @param {SpawnOptions['around']} [how.around]
 * @param {Events} events
 * @returns {LockedProcess}
 */
export function startProgram(
  args,
  { env, stdout, descriptors, request, messages = true, around = (spawn) => spawn() },
  events,
) {
  const about = { parentPid: process.pid, count: descriptors.length };
  const message = encode(KIND.message, { ...about, ...request });
  const [mine, theirs] = native().socketPair();
  let child;
  try {
    child = around(() =>
      spawnProcess(process.execPath, args, {
        env,
        stdio: ['ignore', stdout, 'pipe', theirs, ...descriptors],
      }),
    );
  } catch (error) {
    native().closeDescriptor(mine);
    throw error;
  } finally {
    native().closeDescriptor(theirs);
  }
  endWithThread(child);
  let resolveClosed = () => {};
  /** @type {Promise<void>} */
  const closed = new Promise((resolve) => (resolveClosed = resolve));
  const channel = new ChildChannel(
    mine,
    { maxBytes: workerLimits.workerMessageBytes.value, messages },
    {
      ...events,
      closed: resolveClosed,
      unreadable(error) {
        events.unreadable?.(error);
        child.kill('SIGKILL');
      },
    },
  );
  child.once('error', () => channel.socket.destroy());
  channel.sendRequest(message);
  return { child, channel, closed };
}

/**
 * Starts a process. Its files are locked before its main(); its entry calls runLocked().
 * @param {object} how
 * @param {string} how.entry path of its program
 * @param {import('../lock.js').Lock} how.lock
 * @param {object & {memoryMb: number}} how.request for the entry; memoryMb limits its private writable memory
 * @param {number[]} [how.descriptors] for the child, from 4 on
 * @param {SpawnOptions} how.spawn
 * @param {number} [how.niceness] of all its threads, 0..19
 * @param {boolean} [how.messages] whether it may send messages, see ChildChannel; otherwise only reports
 * @param {import('./options.js').CheckedEngineOptions['log']} [how.log]
 * @param {Events} events
 * @returns {LockedProcess}
 * @throws {PitvError} PITV_LOCK_UNSUPPORTED
 */
export function startLocked(
  { entry, lock, request, descriptors = [], spawn: options, niceness = 0, messages = false, log },
  events,
) {
  const paths = [...READABLE, ...lock.readable];
  const env = lockedEnvironment(paths, options.env, FIRST_DESCRIPTOR + descriptors.length);
  const started = startProgram(
    [...options.execArgv, entry],
    {
      env,
      stdout: 'ignore',
      descriptors,
      request: { lock, ...request },
      messages,
      around: options.around,
    },
    events,
  );
  const { child } = started;
  child.once('spawn', () => {
    raiseOomScore(`/proc/${child.pid}/oom_score_adj`);
    lowerPriority(niceness, child.pid); // before it starts threads
    const ended = new Promise((resolve) => child.once('exit', resolve));
    void limitProcess(Number(child.pid), request.memoryMb, ended, log);
  });
  return started;
}

/**
 * Returns the environment of a program whose files are locked before its main().
 * @param {string[]} paths that it may read
 * @param {Record<string, string>} added variables
 * @param {number} descriptors how many it gets; all others are closed
 * @returns {NodeJS.ProcessEnv}
 * @throws {PitvError} PITV_LOCK_UNSUPPORTED
 */
function lockedEnvironment(paths, added, descriptors) {
  if (/[ :]/.test(NATIVE_FILE) || paths.some((path) => path.includes('\n'))) {
    const sentence = `A process cannot be locked: LD_PRELOAD cannot contain the path ${NATIVE_FILE}, or a path to read has a line break.`;
    throw new PitvError('PITV_LOCK_UNSUPPORTED', sentence);
  }
  const kept = Object.entries(process.env).filter(([name]) => VARIABLES.includes(name));
  const LD_PRELOAD = [NATIVE_FILE, added.LD_PRELOAD].filter(Boolean).join(':');
  return {
    ...Object.fromEntries(kept),
    ...added,
    LD_PRELOAD,
    pitv_lock: [descriptors, ...paths].join('\n'),
  };
}
