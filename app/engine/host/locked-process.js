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
import { endOfChild } from '../zygote/process-handle.js';

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
/** Descriptors before `descriptors` of startProgram(): stdin, stdout, stderr, the channel. */
const FIRST_DESCRIPTOR = 4;
/** Variables of the environment that a locked process gets. */
const VARIABLES = ['NODE_ENV', 'LD_LIBRARY_PATH'];

/**
 * @typedef {object} LockedProcess
 * @property {import('node:child_process').ChildProcess} child its descriptor 3 is the channel, see
 *   worker/locked-program.js
 * @property {ChildChannel} channel
 * @property {Promise<import('../zygote/process-handle.js').ProcessEnd>} exited resolves after the last message; never
 *   rejects. error: also why its messages could not be read
 *
 * @typedef {Partial<import('../zygote/child-channel.js').ChannelEvents>} Events
 */

/**
 * Starts a process whose entry calls runLocked(). With a lock, its files are locked before its main().
 * @param {object} how
 * @param {string} how.entry path of its program
 * @param {string[]} [how.args] of the program
 * @param {import('../lock.js').Lock} [how.lock]
 * @param {{memoryMb: number, [name: string]: unknown}} how.request for the entry; memoryMb limits its private writable
 *   memory
 * @param {number[]} [how.descriptors] for the child, from 4 on
 * @param {SpawnOptions} how.spawn
 * @param {NodeJS.ProcessEnv} [how.env] of a process without a lock; `spawn` adds to it
 * @param {number} [how.niceness] of all threads of a locked process, 0..19
 * @param {boolean} [how.messages] whether it may send messages, see ChildChannel; otherwise only reports
 * @param {import('./options.js').CheckedEngineOptions['log']} [how.log]
 * @param {Events} events
 * @returns {LockedProcess}
 * @throws {PitvError} PITV_LOCK_UNSUPPORTED
 */
export function startProgram(how, events) {
  const { entry, args = [], lock, request, descriptors = [], spawn, niceness = 0, log } = how;
  const about = { parentPid: process.pid, count: descriptors.length, lock };
  const message = encode(KIND.message, { ...about, ...request });
  const env = lock
    ? lockedEnvironment(lock.readable, spawn.env, FIRST_DESCRIPTOR + descriptors.length)
    : { ...(how.env ?? process.env), ...spawn.env };
  const stdout = lock ? 'ignore' : 'inherit';
  const [mine, theirs] = native().socketPair();
  let child;
  try {
    child = spawn.around(() =>
      spawnProcess(process.execPath, [...spawn.execArgv, entry, ...args], {
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
  const channel = new ChildChannel(
    mine,
    { maxBytes: workerLimits.workerMessageBytes.value, messages: how.messages ?? false },
    {
      ...events,
      unreadable(error) {
        events.unreadable?.(error);
        child.kill('SIGKILL');
      },
    },
  );
  child.once('error', () => channel.socket.destroy());
  channel.sendRequest(message);
  const ended = endOfChild(child, channel.socket);
  const exited = ended.then((end) => ({ ...end, error: channel.failure ?? end.error }));
  if (lock) {
    child.once('spawn', () => {
      raiseOomScore(`/proc/${child.pid}/oom_score_adj`);
      lowerPriority(niceness, child.pid); // before it starts threads
      void limitProcess(Number(child.pid), request.memoryMb, exited, log);
    });
  }
  return { child, channel, exited };
}

/**
 * Returns the environment of a program whose files are locked before its main().
 * @param {string[]} readable paths that it may read besides its own program
 * @param {Record<string, string>} added variables
 * @param {number} descriptors how many it gets; all others are closed
 * @returns {NodeJS.ProcessEnv}
 * @throws {PitvError} PITV_LOCK_UNSUPPORTED
 */
function lockedEnvironment(readable, added, descriptors) {
  const paths = [...READABLE, ...readable];
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
