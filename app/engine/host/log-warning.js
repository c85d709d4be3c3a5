/**
 * Passes on the warnings and the output of a job, and warns of its long frames and checkpoints. What they contain comes
 * from the worker, and may be anything.
 */
import { visibleText } from '../../errors/visible-text.js';
import { TokenBucket } from '../../limits/token-bucket.js';

const MAX_CHARS = 1000;
const MAX_WARNINGS = 100;
/** Characters of one message with output, and a second. The worker itself sends less, and says what it leaves out. */
const MAX_OUTPUT_CHARS = 16 * 1024;
const OUTPUT_RATE = Object.freeze({ perSecond: 2 * MAX_OUTPUT_CHARS, burst: 2 * MAX_OUTPUT_CHARS });

/**
 * Creates a function that logs the warnings of one worker, up to a number of them.
 * @param {import('./options.js').EngineOptions['log']} log without it, warnings go to stderr
 * @param {string} name of the worker
 * @param {(sentence: string) => void} [onWarning] is called with each of them
 * @returns {(text: unknown) => void}
 */
export function createWarningLog(log, name, onWarning) {
  let count = 0;
  return (text) => {
    if (++count > MAX_WARNINGS) return;
    const known =
      typeof text === 'string' ? visibleText(text.slice(0, MAX_CHARS)) : 'A warning is not a text.';
    const sentence = count < MAX_WARNINGS ? known : `${known} Further warnings are not logged.`;
    if (log) log.warn({ name }, sentence);
    else process.emitWarning(`${name}: ${sentence}`);
    onWarning?.(sentence);
  };
}

/**
 * Creates a function that passes on the output of one worker, up to a number of characters a second.
 * @param {(text: string) => void} onOutput gets lines without control characters
 * @returns {(text: unknown) => void}
 */
export function createOutputFilter(onOutput) {
  const bucket = new TokenBucket(OUTPUT_RATE, performance.now());
  return (text) => {
    if (typeof text !== 'string') return;
    const known = text.slice(0, MAX_OUTPUT_CHARS);
    if (bucket.take(performance.now(), known.length)) onOutput(visibleText(known));
  };
}

/**
 * Creates a function that logs each worker's first frame and first checkpoint that does not fit into its mailbox.
 * @param {import('./options.js').Log} [log]
 * @returns {(worker: import('./handle.js').WorkerHandle) => void}
 */
export function createOversizeLog(log) {
  const [frames, checkpoints] = [new WeakSet(), new WeakSet()];
  return (worker) => {
    const { oversizedFrame, oversizedCheckpoint, sizes } = worker.mailbox;
    const about = { worker: worker.id, name: worker.name };
    if (oversizedFrame !== 0 && !frames.has(worker)) {
      frames.add(worker);
      log?.warn(
        { ...about, bytes: oversizedFrame, frameBytes: sizes.frameBytes },
        'a frame was longer than the mailbox has room for and was cut; give the worker a larger frameBytes',
      );
    }
    if (oversizedCheckpoint !== 0 && !checkpoints.has(worker)) {
      checkpoints.add(worker);
      log?.warn(
        { ...about, bytes: oversizedCheckpoint, checkpointBytes: sizes.checkpointBytes },
        'a checkpoint was longer than the mailbox has room for and was dropped; give the worker a larger checkpointBytes',
      );
    }
  };
}
