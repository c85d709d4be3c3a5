/** Reads a game in a worker of an engine. What the worker answers is data of strangers, and is checked. */
import { PitvError, messageOf } from '../errors.js';
import { checkReading, lockOf, readGame } from '../packages/game-reader.js';

const DESCRIBE_JOB = new URL('./describe-job.js', import.meta.url).href;
/** Ends the names of the workers that read games. */
export const DESCRIPTION = ' (description)';
const MAX_BYTES = 1024 * 1024;
const MAX_LAYOUT = 64 * 1024;
/** Time to import the game. */
const LIMIT_MS = 10_000;

/**
 * @typedef {import('../packages/game-reader.js').GameFile & {id: string}} GameFile
 * @typedef {import('../packages/game-reader.js').Reading & {layout: string}} Reading layout: see defineGame()
 */

/**
 * Reads a game.
 * @param {import('../engine/index.js').Engine} engine
 * @param {GameFile} file
 * @param {Record<string, unknown>} options of its sizes and layout
 * @param {boolean} bestEffort see Lock
 * @returns {Promise<Reading>}
 * @throws {Error} why it cannot be read
 */
export async function describeGame(engine, file, options, bestEffort) {
  const { path, id } = file;
  const signal = AbortSignal.timeout(LIMIT_MS);
  const sizes = { inputSlots: 0, frameBytes: 0, checkpointBytes: MAX_BYTES };
  const lock = lockOf(file, bestEffort);
  const request = {
    name: `${id}${DESCRIPTION}`,
    lock,
    sizes,
    signal,
    options: { path, id, options },
  };
  const worker = await engine.start(DESCRIBE_JOB, request).catch(async (error) => {
    if (signal.aborted)
      throw new Error(`It was not imported within ${LIMIT_MS / 1000} s: does it loop?`);
    const cause = error.cause ?? error;
    // Only a process that reads the game and does nothing else tells the line of a syntax error.
    if (/SyntaxError/.test(messageOf(cause))) {
      await readGame(file, options, { limitMs: LIMIT_MS, bestEffort });
    }
    throw cause;
  });
  const { mailbox } = worker;
  const bytes = mailbox.checkpoint?.bytes.slice();
  await worker.terminate('stopped');
  engine.freeMailbox(mailbox);
  if (!bytes) throw new PitvError('PITV_GAME_INVALID', `The description of ${path} is too long.`);
  const text = Buffer.from(bytes).toString();
  const layout = String(JSON.parse(text).layout).slice(0, MAX_LAYOUT);
  return { ...(await checkReading(text, file)), layout };
}
