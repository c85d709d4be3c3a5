/** Probes a TV: requests pages, and joins with new phones. */
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../support/tv.js';

/** A probe without an answer counts as this long, ms. */
const GIVE_UP_MS = 3000;

/** @typedef {import('./limited-tv.js').LimitedTv} LimitedTv */

/**
 * Requests /healthz on a new connection.
 * @param {LimitedTv} tv
 * @returns {Promise<number>} ms until the answer; GIVE_UP_MS without a good one
 */
export function checkHealth({ host, port }) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const fail = () => resolve(GIVE_UP_MS);
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    const where = { host, port, path: '/healthz', agent: false, localAddress: '127.0.2.1', signal };
    get(where, (response) => {
      response.resume().on('error', fail);
      response.on('end', () =>
        resolve(response.statusCode === 200 ? performance.now() - startedAt : GIVE_UP_MS),
      );
    }).on('error', fail);
  });
}

let phones = 0;

/**
 * Joins with a new phone from a new address, and leaves.
 * @param {LimitedTv} tv
 * @returns {Promise<number>} ms until the welcome; GIVE_UP_MS without one
 */
export function joinPhone(tv) {
  const startedAt = performance.now();
  const localAddress = `127.0.3.${1 + (phones++ % 250)}`;
  const joined = Client.pad(tv, { name: 'Phone' }, { localAddress }).then((phone) => {
    phone.vanish();
    return performance.now() - startedAt;
  });
  const late = sleep(GIVE_UP_MS, GIVE_UP_MS, { ref: false });
  return Promise.race([joined.catch(() => late), late]);
}

/**
 * Repeats a probe during an attack, at least `least` times.
 * @param {() => Promise<number>} probe
 * @param {{least: number, everyMs: number, going: () => boolean}} how
 * @returns {Promise<number>} the longest time, ms
 */
export async function longestOf(probe, { least, everyMs, going }) {
  let longestMs = 0;
  for (let count = 0; count < least || going(); count++) {
    longestMs = Math.max(longestMs, await probe());
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return longestMs;
}
