/** Takes a CPU profile or a heap snapshot of the thread that it runs in, and writes it into a file. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { PitvError } from '../../errors.js';

/** Finer ones cost more than they tell on a small computer. */
const SAMPLE_MICROS = 1000;

/**
 * @typedef {object} Inspection
 * @property {'cpu' | 'heap'} kind
 * @property {number} seconds cpu only
 * @property {string} path of the file; must not be there yet
 * @property {number} maxBytes
 */

/**
 * A heap snapshot stops the thread until it is written, and needs about as much memory again as the
 * heap has.
 * @param {Inspection} inspection
 * @throws {PitvError} PITV_PROFILE_SIZE; an error of the file system
 */
export async function captureInspection({ kind, seconds, path, maxBytes }) {
  const session = new Session();
  const file = openSync(path, 'wx', 0o600);
  let size = 0;
  /** @type {unknown} */
  let failure;
  /** @param {string} text goes to the disk at once: a snapshot is larger than what there is to hold it */
  const write = (text) => {
    if (failure) return;
    try {
      const bytes = Buffer.from(text, 'utf8');
      size += bytes.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
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
      // As it starts, V8 (up to Node 22) holds a lock that its collector wants as well: a collection in
      // that moment would wait for ever (crbug.com/41497149). After one there is room for what it allocates.
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

/** @param {number} maxBytes */
function tooLarge(maxBytes) {
  const mib = Math.round(maxBytes / 1024 / 1024);
  return new PitvError('PITV_PROFILE_SIZE', `It is larger than ${mib} MiB, and was given up.`);
}
