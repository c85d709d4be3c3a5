/** Writes a CPU profile or a heap snapshot of the calling thread to a file, also at the request of the main thread. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { PitvError, messageOf } from '../../errors.js';

/** Shorter intervals slow a small computer down and add little detail. */
const SAMPLE_MICROS = 1000;

/**
 * @typedef {object} Inspection
 * @property {'cpu' | 'heap'} kind
 * @property {number} seconds cpu only
 * @property {string} path of the file, which must not exist yet
 * @property {number} maxBytes
 */

/**
 * Captures a profile or snapshot. A heap snapshot blocks the thread until it is written and temporarily needs about as
 * much memory as the heap has.
 * @param {Inspection} inspection
 * @throws {PitvError} PITV_PROFILE_SIZE; an error of the file system
 */
export async function captureInspection({ kind, seconds, path, maxBytes }) {
  const session = new Session();
  const file = openSync(path, 'wx', 0o600);
  let size = 0;
  /** @type {unknown} */
  let failure;
  /** Writes text to the file at once, because a snapshot may be larger than the free memory. @param {string} text */
  const write = (text) => {
    if (failure) return;
    try {
      const bytes = Buffer.from(text, 'utf8');
      size += bytes.length;
      if (size > maxBytes) {
        const mib = Math.round(maxBytes / 1024 / 1024);
        throw new PitvError('PITV_PROFILE_SIZE', `The file would be larger than ${mib} MiB.`);
      }
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    } catch (error) {
      failure = error;
    }
  };
  try {
    session.connect();
    if (kind === 'cpu') {
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
      // While a profile starts, V8 (up to Node 22) holds a lock that the garbage collector needs, so a collection at
      // that moment deadlocks (crbug.com/41497149). Collecting before leaves enough room to start without one.
      await session.post('HeapProfiler.collectGarbage');
      await session.post('Profiler.start');
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      const { profile } = await session.post('Profiler.stop');
      write(JSON.stringify(profile));
    } else {
      session.on('HeapProfiler.addHeapSnapshotChunk', ({ params }) => write(params.chunk));
      await session.post('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    }
    if (failure) throw failure;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
    session.disconnect();
  }
}

/**
 * Answers a request in the worker: reads its file, takes the profile and writes the answer file.
 * @param {string} base path of the files without their suffixes, see host/inspect-worker.js
 */
export async function answerInspection(base) {
  let answer;
  try {
    await captureInspection(JSON.parse(await readFile(`${base}.request`, 'utf8')));
    answer = {};
  } catch (error) {
    answer = { code: Reflect.get(Object(error), 'code'), message: messageOf(error) };
  }
  await writeFile(`${base}.tmp`, JSON.stringify(answer), { mode: 0o600 });
  await rename(`${base}.tmp`, `${base}.answer`);
}
