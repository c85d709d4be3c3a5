/**
 * Compares ways to send frames from a worker to the main thread: the mailbox, messages, IPC and a Unix socket. The
 * worker writes the whole frame each time, and the main thread reads one byte of each cache line. `rate` is measured
 * with as many frames as possible, `cpu` (the CPU time of both sides for one frame) at a fixed rate.
 */
import { TRANSPORTS } from './transports.js';
import { processTree } from '../../../app/process/process-tree.js';
import { cpuMs } from '../../machine/proc.js';

const SIZES = [1024, 16 * 1024, 256 * 1024];
const PHASES_MS = { warm: 500, measure: 700 };
const PHASES_QUICK_MS = { warm: 200, measure: 200 };
/** Faster than a game's rate, so that the CPU time is large enough to measure. */
const PACE_HZ = 250;
const CACHE_LINE_BYTES = 64;
/** Slow transports exceed the duration of a phase to receive this many frames. */
const MIN_FRAMES = 5;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'frames',
  title: 'Frames sent from a worker to the main thread; n = bytes of a frame',
  measures: ['app/engine/mailbox'],
  reference: 'mailbox, process',
  metrics: [
    { name: 'rate', unit: 'frames/s', better: 'higher' },
    { name: 'cpu', unit: 'µs' },
  ],

  configurations: ({ engines }) =>
    SIZES.flatMap((n) =>
      Object.entries(TRANSPORTS)
        .filter(([, { engine }]) => engines === undefined || engines.includes(engine))
        .map(([variant]) => ({ variant, n })),
    ),

  async sample({ variant, n }, { quick }) {
    const bytes = Number(n);
    const phases = quick ? PHASES_QUICK_MS : PHASES_MS;
    const free = await receiveFrames(variant, { bytes, hz: 0 }, phases);
    const paced = await receiveFrames(variant, { bytes, hz: PACE_HZ }, phases);
    return {
      metrics: { rate: free.frames / free.seconds, cpu: (paced.cpuMs * 1000) / paced.frames },
      facts: { paceKept: paced.frames / paced.seconds / PACE_HZ },
    };
  },

  notes(samples) {
    const slow = new Set(
      samples
        .filter(({ facts }) => facts.paceKept < 0.8)
        .map(({ configuration: { variant, n } }) => `${variant} with ${n} bytes`),
    );
    return [...slow].map((what) => `frames: ${what} can't keep up with ${PACE_HZ} frames a second`);
  },
};

/**
 * Receives frames through a transport, and measures their number and the CPU time.
 * @param {string} variant @param {{bytes: number, hz: number}} options
 * @param {{warm: number, measure: number}} phases ms
 */
async function receiveFrames(variant, options, { warm, measure }) {
  let frames = 0;
  let sum = 0;
  /** @type {(() => void) | undefined} */
  let onFrame;
  const running = await TRANSPORTS[variant].open(options, (frame) => {
    if (frame.length !== options.bytes) throw new Error(`a frame of ${frame.length} bytes`);
    for (let at = 0; at < frame.length; at += CACHE_LINE_BYTES) sum += frame[at];
    frames++;
    onFrame?.();
  });
  /** @param {number} milliseconds */
  const pass = (milliseconds) =>
    new Promise((resolve) => {
      const end = performance.now() + milliseconds;
      const last = frames + MIN_FRAMES;
      onFrame = () => frames >= last && performance.now() >= end && resolve(undefined);
    });
  await pass(warm);
  const tree = processTree(process.pid);
  const before = { cpu: cpuMs(tree), frames, at: performance.now() };
  await pass(measure);
  const seconds = (performance.now() - before.at) / 1000;
  const result = { seconds, cpuMs: cpuMs(tree) - before.cpu, frames: frames - before.frames, sum };
  await running.close();
  return result;
}
