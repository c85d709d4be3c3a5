/**
 * One collision pass: the game collide with a fixed number of steps, computed as fast as possible instead of at 60 Hz.
 * Each tick computes a part of the pass, because the main thread ends workers whose tick counter does not change.
 *
 * If BENCH_PASS_FOLDER names a folder, passes wait until the file `go` exists in it, so that all of them begin at the
 * same time. Each pass writes the time of its end to the file `done-MATCH`.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import collide from '../../../../app/games/collide.js';

const SLICE_MS = 40;
const POLL_MS = 1;
export const FOLDER_VARIABLE = 'BENCH_PASS_FOLDER';

/** Returns the time of a clock that all processes of this machine share (CLOCK_MONOTONIC), ms. */
export const sharedClock = () => Number(process.hrtime.bigint()) / 1e6;

export default Object.freeze({
  ...collide,
  id: 'pass',

  /** @param {Record<string, number>} options */
  start(options) {
    const job = collide.start(options);
    // A rehearsal has no end and counts ticks, so its ticks are single steps.
    const sliceMs = options.ticks ? SLICE_MS : 0;
    const folder = options.ticks ? process.env[FOLDER_VARIABLE] : undefined;
    let waiting = folder !== undefined;
    return {
      writeFrame: job.writeFrame.bind(job),
      checkpoint: job.checkpoint.bind(job),
      restore: job.restore.bind(job),
      get done() {
        return job.done;
      },
      /** @param {(slot: number) => number} readWord @param {(slot: number) => number} readSequence */
      step(readWord, readSequence) {
        const end = performance.now() + sliceMs;
        while (waiting) {
          if (existsSync(join(String(folder), 'go'))) waiting = false;
          else if (performance.now() >= end) return;
          else pause(POLL_MS);
        }
        do job.step(readWord, readSequence);
        while (!job.done && performance.now() < end);
        if (job.done && folder !== undefined) {
          writeFileSync(join(folder, `done-${options.match}`), String(sharedClock()));
        }
      },
    };
  },
});

/** Blocks this thread. @param {number} ms */
function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
