/**
 * Generates load for a TV while it is profiled: requests by autocannon, or screens and pads of a match. It does not run
 * in the process of the TV, so the profile does not contain it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PitvError } from '../../app/errors.js';
import { startClients } from '../harness/remote-tv.js';
import { loadAutocannon } from './autocannon.js';

const COLLIDE_BODIES = 2000;
/** bumper has eight players. The other connections watch. */
const MAX_PADS = 8;

/**
 * @typedef {object} Target a TV
 * @property {string} url @property {string} code @property {string} password
 *
 * @typedef {object} Load
 * @property {number} connections @property {number} seconds
 * @property {AbortSignal} signal
 * @property {() => Promise<void>} begin starts the measurement; call it under load
 *
 * @typedef {object} Done
 * @property {Record<string, number>} figures as seen by the clients, with units in the names
 */

/**
 * @typedef {object} Scenario
 * @property {string} about
 * @property {(tv: Target, load: Load) => Promise<Done>} run
 * @property {() => Promise<unknown>} [needs] throws if a dependency is missing
 */

/** @type {Readonly<Record<string, Scenario>>} */
export const SCENARIOS = Object.freeze({
  login: { about: 'logins with the right password', run: logIn, needs: loadAutocannon },
  lobby: {
    about: 'pages, the API and the metrics, as phones and screens ask for them',
    run: browse,
    needs: loadAutocannon,
  },
  match: {
    about: 'a match of bumper: up to 8 pads at 60 inputs a second, the rest watch',
    run: play,
  },
  collide: { about: `the demo with ${COLLIDE_BODIES} bodies, all connections watch`, run: collide },
});

/** @param {Target} tv @param {Load} load */
function logIn(tv, load) {
  const request = {
    method: /** @type {const} */ ('POST'),
    path: '/api/admin/login',
    headers: { origin: tv.url, 'content-type': 'application/json' },
    body: JSON.stringify({ password: tv.password }),
  };
  return sendRequests(tv, load, [request]);
}

/** @param {Target} tv @param {Load} load */
function browse(tv, load) {
  const paths = ['/', '/screen/main.js', '/lib/base.css', '/api/games', '/api/matches', '/pad'];
  return sendRequests(
    tv,
    load,
    [...paths, '/metrics'].map((path) => ({ path })),
  );
}

/**
 * Sends requests with autocannon.
 * @param {Target} tv @param {Load} load @param {object[]} requests @returns {Promise<Done>}
 */
async function sendRequests({ url }, { connections, seconds, signal, begin }, requests) {
  const autocannon = await loadAutocannon();
  await begin();
  const result = await new Promise((resolve, reject) => {
    const running = autocannon(
      { url, connections, duration: seconds, requests },
      (/** @type {Error | null} */ error, /** @type {any} */ value) =>
        error ? reject(error) : resolve(value),
    );
    signal.addEventListener('abort', () => running.stop(), { once: true });
  });
  signal.throwIfAborted();
  const answered = result['2xx'];
  if (answered === 0) {
    throw new PitvError('PITV_PROFILE_LOAD', `No request succeeded (${statuses(result)}).`);
  }
  return {
    figures: {
      requests: result.requests.total,
      requestsPerSecond: answered / result.duration,
      latencyP50Ms: result.latency.p50,
      latencyP99Ms: result.latency.p99,
      refused: result.non2xx + result.errors,
    },
  };
}

/** @param {any} result */
const statuses = ({ non2xx, errors, timeouts }) =>
  `${non2xx} refused, ${errors} failed, ${timeouts} timed out`;

/** @param {Target} tv @param {Load} load */
function play(tv, load) {
  const pads = Math.min(MAX_PADS, Math.max(1, load.connections - 1));
  return watch(tv, load, { game: 'bumper', pads });
}

/** @param {Target} tv @param {Load} load */
function collide(tv, load) {
  return watch(tv, load, { game: 'collide', options: { bodies: COLLIDE_BODIES }, pads: 0 });
}

/**
 * Runs a match with pads and screens.
 * @param {Target} tv @param {Load} load
 * @param {{game: string, options?: Record<string, number>, pads: number}} match
 * @returns {Promise<Done>}
 */
async function watch(tv, { connections, seconds, signal, begin }, match) {
  const screens = connections - match.pads;
  const clients = await startClients(tv, { ...match, screens, matches: 1 });
  try {
    await begin();
    await clients.report(); // the next report counts from now on
    await sleep(seconds * 1000, undefined, { signal });
    const { frames, screenBytes } = await clients.report();
    return {
      figures: {
        framesPerSecond: frames / seconds,
        kilobytesPerSecond: screenBytes / 1000 / seconds,
      },
    };
  } finally {
    await clients.stop();
  }
}
