/** Connects network namespaces by a link that delays and loses packets; see link.c. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';
import { compile } from '../harness/compile.js';

const SOURCE = fileURLToPath(new URL('link.c', import.meta.url));
const TUN = '/dev/net/tun';

/** The addresses of the sides. */
export const ADDRESS = Object.freeze({ near: '10.77.0.1', far: '10.77.0.2' });

/**
 * @typedef {object} Quality of each direction
 * @property {number} lossPercent
 * @property {number} delayMs of every packet
 * @property {number} jitterMs added to the delay: a random part of it
 * @property {number} [rate] bytes per second of a flow; 0 for no limit
 * @property {number} [seed] of the random numbers
 *
 * @typedef {{execPath: string, execArgv: string[]}} Launch options for fork() that start Node.js on a side
 *
 * @typedef {object} Link
 * @property {Record<keyof typeof ADDRESS, Launch>} sides the first two
 * @property {() => Promise<void>} stop processes on its sides must have ended
 */

/** Returns why this machine cannot have a link, or undefined. @returns {string | undefined} */
export function missingForLink() {
  if (process.getuid?.() !== 0) return 'A lossy link needs root, to make network namespaces.';
  if (!existsSync(TUN)) return `A lossy link needs ${TUN}, which this machine does not have.`;
  return undefined;
}

/**
 * Makes a link and its namespaces.
 * @param {Quality} quality
 * @param {{prefix: string, names: string[]}} [existing] namespaces of ip-netns(8), which get the addresses PREFIX.1,
 *   PREFIX.2 and so on; by default two new ones
 * @returns {Promise<Link>}
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED, PITV_BENCH_COMPILER
 */
export async function startLink({ lossPercent, delayMs, jitterMs, rate = 0, seed = 1 }, existing) {
  const missing = missingForLink();
  if (missing) throw new PitvError('PITV_BENCH_UNSUPPORTED', missing);
  const numbers = [lossPercent * 10_000, delayMs * 1000, jitterMs * 1000, rate, seed].map(String);
  const args = [...numbers, ...(existing ? [existing.prefix, ...existing.names] : [])];
  const child = spawn(compile('link', SOURCE), args, { stdio: 'pipe' });
  const exited = once(child, 'close');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const [answer] = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), exited]);
  const [, near, far] = /^ready (\d+) (\d+)/m.exec(String(answer)) ?? [];
  if (far === undefined) {
    await exited;
    throw new PitvError('PITV_BENCH_UNSUPPORTED', `The link could not be made: ${errors.trim()}`);
  }
  const launch = (/** @type {string} */ fd) => ({
    execPath: 'nsenter',
    execArgv: [`--net=/proc/${child.pid}/fd/${fd}`, process.execPath],
  });
  return {
    sides: { near: launch(near), far: launch(far) },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
