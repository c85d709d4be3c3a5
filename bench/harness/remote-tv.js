/** Starts tv-process.js, and uses the TV as a client. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';
import { Child } from './child.js';

/** Intervals at which matches are polled, near the end of a wait and before. No measurement depends on them. */
const POLL_MS = 20;
const MAX_POLL_MS = 500;
const TICK_MS = 1000 / 60;
/** Without keep-alive: a slow board may close an idle connection while the client writes to it. */
const CLOSING = { connection: 'close' };
const TV_PROCESS = fileURLToPath(new URL('tv-process.js', import.meta.url));
const LOAD_CLIENTS = fileURLToPath(new URL('load-clients.js', import.meta.url));

/**
 * @typedef {object} RemoteTv
 * @property {import('node:child_process').ChildProcess} child @property {number} pid
 * @property {string} url @property {string} code @property {string} token admin token
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} ClientCounts
 * @property {number} screens @property {number} pads @property {number} matches
 * @property {string} game
 * @property {boolean} [differences] whether the screens read differences between frames
 * @property {boolean} [arrivals] whether reports list the frames
 *
 * @typedef {object} Received what clients have received since the last report
 * @property {number} frames of all screens
 * @property {number} screenBytes @property {number} padBytes
 * @property {number[][][]} arrivals by screen: tick and arrival of each frame, ms on a clock of the machine; empty
 *   lists unless asked for
 *
 * @typedef {{execPath?: string, execArgv?: string[], detached?: boolean}} Launch options for fork()
 */

/**
 * Starts a TV.
 * @param {import('./tv-process.js').Request} request
 * @param {{node?: import('./work-dir.js').NodeCopy, env?: Record<string, string>, launch?: Launch}} [options] node:
 *   runs the TV instead of this Node.js; env: added to the environment
 * @returns {Promise<RemoteTv>} when it listens
 * @throws {PitvError} with the code of what prevented the start
 */
export async function startTv(request, { node, env, launch } = {}) {
  const how = {
    execPath: node?.path ?? process.execPath,
    env: { ...(node?.env ?? process.env), ...env },
    ...launch,
  };
  const child = new Child(TV_PROCESS, request, how);
  const answer = await child.next();
  if (answer.failed) throw new PitvError(answer.failed.code, answer.failed.message);
  return {
    child: child.process,
    pid: Number(child.process.pid),
    ...answer,
    stop: () => child.stop(),
  };
}

/**
 * Starts matches, screens and pads in a process of their own (see load-clients.js).
 * @param {Pick<RemoteTv, 'url' | 'code'>} tv @param {ClientCounts} counts @param {Launch} [launch]
 * @returns {Promise<{report: () => Promise<Received>, stop: () => Promise<void>}>} when every match is running
 */
export async function startClients({ url, code }, counts, launch) {
  const child = new Child(LOAD_CLIENTS, { url, code, ...counts }, launch);
  await child.next();
  return { report: () => child.ask('report'), stop: () => child.stop() };
}

/** Lists the running matches. @param {Pick<RemoteTv, 'url'>} tv @returns {Promise<{id: number, ticks: number}[]>} */
export async function listMatches({ url }) {
  // Without compression, which the TV does not usually do twice a second.
  const headers = { ...CLOSING, 'accept-encoding': 'identity' };
  return (await (await fetch(`${url}/api/matches`, { headers })).json()).matches;
}

/**
 * Starts a match as the admin, or else with the join code. One of the admin runs even if no screen watches it.
 * @param {{url: string, token?: string, code: string}} tv
 * @param {string} game @param {Record<string, number>} [options]
 * @throws {PitvError} with the code of what prevented the start
 */
export async function startMatch({ url, token, code }, game, options = {}) {
  const headers = { ...CLOSING, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/matches`, {
    method: 'POST',
    headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ game, options, ...(!token && { code }) }),
  });
  if (response.ok) return;
  const { error } = await response.json();
  throw new PitvError(error.code, `no match: ${error.message}`);
}

/**
 * Starts matches of a game at once, each with a seed of its own.
 * @param {RemoteTv} tv @param {number} count @param {string} game
 * @param {Record<string, number> & {seed: number}} options seed: of the first match
 */
export async function startMatches(tv, count, game, options) {
  const { seed } = options;
  const starting = Array.from({ length: count }, (_, i) =>
    startMatch(tv, game, { ...options, seed: seed + i }),
  );
  await Promise.all(starting);
}

/**
 * Waits until every game has done a number of ticks.
 * @param {Pick<RemoteTv, 'url'>} tv @param {number} games number of running games @param {number} ticks of each game
 * @param {() => boolean} [also] additional condition
 */
export async function waitForTicks(tv, games, ticks, also = () => true) {
  for (;;) {
    const matches = await listMatches(tv);
    if (matches.length < games) throw new Error('a match has ended');
    const missing = ticks - Math.min(...matches.map((one) => one.ticks));
    if (missing <= 0 && also()) return;
    await sleep(Math.min(MAX_POLL_MS, Math.max(POLL_MS, (missing * TICK_MS) / 2)));
  }
}
