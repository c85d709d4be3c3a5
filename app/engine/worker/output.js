/**
 * Forwards what a job writes to stdout and stderr, such as by console.log(), to the main process. A message is sent
 * within the call, so the text arrives even if the tick never returns.
 */
import { TokenBucket } from '../../limits/token-bucket.js';

/** Characters; longer texts are cut. */
export const MAX_OUTPUT_CHARS = 2000;
/** Characters a second; more are left out, and counted. */
const RATE = Object.freeze({ perSecond: 8192, burst: 8192 });

/** A message costs as much as this many characters: the main process has to read it. */
const MESSAGE_CHARS = 128;

/** The clock, which a job may replace. */
const now = performance.now.bind(performance);

/** @type {() => string | undefined} */
let labelOf = () => '';

/** Puts a label before each line. @param {() => string | undefined} label undefined: the text is dropped */
export function labelOutput(label) {
  labelOf = label;
}

/** Replaces the streams' write() of this process or thread. @param {(text: string) => unknown} send */
export function forwardOutput(send) {
  const bucket = new TokenBucket(RATE, now());
  let skipped = 0;
  /** @param {unknown} chunk @param {unknown[]} rest encoding and callback */
  const write = (chunk, ...rest) => {
    const callback = rest.at(-1);
    if (typeof callback === 'function') callback(null); // now, so that writing makes nothing asynchronous
    const label = labelOf();
    if (label === undefined) return true;
    const text = (
      typeof chunk === 'string' ? chunk : Buffer.from(/** @type {any} */ (chunk)).toString()
    )
      .replace(/\n$/, '')
      .slice(0, MAX_OUTPUT_CHARS);
    if (!bucket.take(now(), Math.max(MESSAGE_CHARS, label.length + text.length + 1))) {
      skipped++;
      return true;
    }
    const lines = text.split('\n').map((line) => `${label}${line}`);
    if (skipped > 0) lines.unshift(`(${skipped} texts are left out)`);
    skipped = 0;
    send(lines.join('\n'));
    return true;
  };
  for (const stream of [process.stdout, process.stderr]) Object.assign(stream, { write });
}
