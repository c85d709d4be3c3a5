/** Probes a TV: requests a page, and joins with new phones. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../support/tv.js';
import { exchange, request } from '../../support/wire.js';

/** A probe without a good answer counts as this long, ms. */
const GIVE_UP_MS = 3000;

/** @typedef {import('./limited-tv.js').LimitedTv} LimitedTv */

/** @param {() => Promise<unknown>} probe @returns {Promise<number>} how long it takes, ms */
function timeOf(probe) {
  const startedAt = performance.now();
  const late = sleep(GIVE_UP_MS, GIVE_UP_MS, { ref: false });
  const done = probe().then(
    () => performance.now() - startedAt,
    () => GIVE_UP_MS,
  );
  return Promise.race([done, late]);
}

/** Requests /healthz on a new connection. @param {LimitedTv} tv @returns {Promise<number>} ms until the answer */
export const checkHealth = (tv) =>
  timeOf(async () => {
    const bytes = Buffer.from(request(tv, '/healthz'));
    const answer = await exchange(tv.port, bytes, { end: false, localAddress: '127.0.2.1' });
    if (!answer.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error('no good answer');
  });

let phones = 0;

/** Joins with a new phone from a new address, and leaves. @param {LimitedTv} tv @returns {Promise<number>} ms */
export const joinPhone = (tv) =>
  timeOf(async () => {
    const localAddress = `127.0.3.${1 + (phones++ % 250)}`;
    (await Client.pad(tv, { name: 'Phone' }, { localAddress })).vanish();
  });

/**
 * Repeats a probe while an attack is going on, at least once.
 * @param {() => Promise<number>} probe @param {() => boolean} isGoing
 * @param {number} everyMs
 * @returns {Promise<number>} the longest time, ms
 */
export async function longestOf(probe, isGoing, everyMs) {
  let longestMs = 0;
  do {
    longestMs = Math.max(longestMs, await probe());
    await sleep(everyMs);
  } while (isGoing());
  return longestMs;
}
