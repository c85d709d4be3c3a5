/** Probes a TV: requests pages, and joins with new phones. */
import { get } from 'node:http';
import { WebSocket } from 'ws';

/** A probe without an answer counts as this long, ms. */
export const GIVE_UP_MS = 3000;

/** @typedef {import('./limited-tv.js').LimitedTv} LimitedTv */

/**
 * Requests /healthz on a new connection.
 * @param {LimitedTv} tv
 * @returns {Promise<number>} ms until the answer; GIVE_UP_MS without a good one
 */
export function checkHealth(tv) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const request = get(
      { host: tv.host, port: tv.port, path: '/healthz', agent: false, localAddress: '127.0.2.1' },
      (response) => {
        response.resume();
        response.on('end', () => {
          clearTimeout(timer);
          resolve(response.statusCode === 200 ? performance.now() - startedAt : GIVE_UP_MS);
        });
      },
    );
    const fail = () => {
      request.destroy();
      resolve(GIVE_UP_MS);
    };
    const timer = setTimeout(fail, GIVE_UP_MS);
    request.on('error', () => {}); // `timer` counts it
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
  const socket = new WebSocket(`ws://${tv.host}:${tv.port}/ws`, { localAddress });
  return new Promise((resolve) => {
    /** @param {number} ms */
    const end = (ms) => {
      clearTimeout(timer);
      socket.terminate();
      resolve(ms);
    };
    const timer = setTimeout(end, GIVE_UP_MS, GIVE_UP_MS);
    socket.on('error', () => {}); // `timer` counts it
    socket.on('open', () => {
      socket.send(JSON.stringify({ t: 'hello', role: 'pad', code: tv.code, name: 'Phone' }));
    });
    socket.on('message', (data, isBinary) => {
      if (!isBinary && JSON.parse(String(data)).t === 'welcome') {
        end(performance.now() - startedAt);
      }
    });
  });
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
