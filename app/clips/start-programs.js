/** Starts the two programs that make a clip: one renders the pictures, ffmpeg reads and encodes them. */
import { readdirSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { startLocked } from '../engine/host/locked-process.js';
import { captureStderr } from '../engine/host/process-worker.js';
import { connectChildren, startChild } from '../process/child-pipe.js';
import { openPipe } from '../process/pipe-ends.js';
import { PitvError } from '../errors.js';

const RENDERER = fileURLToPath(new URL('render/main.js', import.meta.url));
const LOCKED_RENDERER = fileURLToPath(new URL('render/locked-main.js', import.meta.url));
/** Matches have priority. */
export const NICENESS = 15;
/** Limit of the renderer's heap, MiB. */
const HEAP_MB = 192;
/** Limit of a locked renderer's memory: canvases, pictures and the game's world. */
const MEMORY_MB = 512;
/**
 * A locked renderer that reports no progress for so long is ended: its game may loop. Before the first report it
 * replays up to 30 s, for which a Pi 1 needs as long.
 */
const STALL_MS = 180_000;

/** @typedef {import('./render/pictures.js').RenderJob} RenderJob */
/** @typedef {import('../process/child-pipe.js').Exit} Exit */
/**
 * @typedef {object} Program
 * @property {number} pid
 * @property {Promise<Exit>} exited never rejects
 * @property {() => Promise<unknown>} stop
 *
 * @typedef {object} Events
 * @property {(done: number) => void} onProgress is called with the number of pictures that are rendered
 * @property {number} [stallMs] a locked renderer that reports no progress for so long is ended
 */

/**
 * Starts the programs.
 * @param {RenderJob} job
 * @param {{command: string, args: string[]}} encoder
 * @param {Events} events
 * @returns {Promise<[renderer: Program, encoder: Program]>}
 * @throws {PitvError} as startChild() does; PITV_LOCK_UNSUPPORTED
 */
export function startPrograms(job, encoder, events) {
  return job.lock
    ? startWithLock({ ...job, lock: job.lock }, encoder, events)
    : startPlain(job, encoder, events);
}

/** @type {typeof startPrograms} */
async function startPlain(job, encoder, { onProgress }) {
  const [renderer, encoding] = await connectChildren(
    {
      command: process.execPath,
      args: [`--max-old-space-size=${HEAP_MB}`, RENDERER],
      options: { ipc: true, niceness: NICENESS },
    },
    { ...encoder, options: { niceness: NICENESS } },
  );
  renderer.process.on('message', (/** @type {any} */ { done }) => {
    lowerThreads(renderer.pid);
    onProgress(done);
  });
  renderer.process.on('error', () => {}); // `exited` reports it
  renderer.process.send(job, () => {});
  return [renderer, encoding];
}

/**
 * @param {RenderJob & {lock: import('../engine/lock-support.js').Lock}} job
 * @param {{command: string, args: string[]}} encoder
 * @param {Events} events
 * @returns {Promise<[Program, Program]>}
 */
async function startWithLock(job, encoder, events) {
  const ends = openPipe({});
  if (!ends) {
    throw new PitvError('PITV_LOCK_UNSUPPORTED', 'A process cannot be locked without the addon.');
  }
  try {
    const encoding = await startChild(encoder.command, encoder.args, {
      stdin: ends.reading,
      niceness: NICENESS,
    });
    try {
      return [startRenderer(job, ends.writing, events), encoding];
    } catch (error) {
      await encoding.stop();
      throw error;
    }
  } finally {
    ends.close();
  }
}

/**
 * @param {RenderJob & {lock: import('../engine/lock-support.js').Lock}} job
 * @param {number} output descriptor @param {Events} events
 * @returns {Program}
 */
function startRenderer({ lock, ...job }, output, { onProgress, stallMs = STALL_MS }) {
  let stalled = false;
  const request = { job, memoryMb: MEMORY_MB };
  const { child, channel, closed } = startLocked(
    {
      entry: LOCKED_RENDERER,
      lock,
      request,
      descriptors: [output],
      spawn: { execArgv: [`--max-old-space-size=${HEAP_MB}`], env: {}, around: (spawn) => spawn() },
    },
    {
      report(_kind, text) {
        const done = Number(text);
        if (!Number.isInteger(done)) return;
        timer.refresh();
        lowerThreads(Number(child.pid));
        onProgress(done);
      },
    },
  );
  const stop = () => void child.kill('SIGKILL');
  const timer = setTimeout(() => {
    stalled = true;
    stop();
  }, stallMs);
  child.once('spawn', () => lowerThreads(Number(child.pid)));
  const readStderr = captureStderr(child.stderr, () => {}, true);
  /** @type {Promise<Exit>} */
  const exited = new Promise((resolve) => {
    const end = async (/** @type {number | null} */ code, /** @type {any} */ signal) => {
      clearTimeout(timer);
      await closed;
      const { failure } = channel;
      const reported = failure ? `${failure.name}: ${failure.message}` : '';
      const why = stalled ? 'Error: its game does not return' : reported;
      resolve({ code, signal, stderrTail: `${why}\n${await readStderr()}` });
    };
    child.once('exit', end);
    child.once('error', () => child.pid || end(1, null));
  });
  return {
    pid: Number(child.pid),
    exited,
    async stop() {
      stop();
      await exited;
    },
  };
}

/**
 * Lowers the priority of all threads of a process. Node.js starts some of them before the priority of its main thread
 * is lowered.
 * @param {number} pid
 */
function lowerThreads(pid) {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) os.setPriority(Number(thread), NICENESS);
  } catch {
    // The process has ended.
  }
}
