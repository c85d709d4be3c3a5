/** Starts tv.js, and speaks with it as a client does. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { PitvError } from '../../app/errors.js';

/** How often to look whether games are done, at the end and before; when they are measured does not hang on it. */
const POLL_MS = 20;
const MAX_POLL_MS = 500;
const TICK_MS = 1000 / 60;
/** On a slow board a kept connection may be closed by the one while the other sends on it. */
const ONCE = { connection: 'close' };
/** Nobody asks a TV twice a second: what it costs to answer is kept small. */
const PLAIN = { headers: { ...ONCE, 'accept-encoding': 'identity' } };
const SCRIPT = fileURLToPath(new URL('tv-process.js', import.meta.url));

/**
 * @typedef {object} RemoteTv
 * @property {import('node:child_process').ChildProcess} child @property {number} pid
 * @property {string} url @property {string} code @property {string} token the admin's
 * @property {() => Promise<void>} stop
 */

/**
 * @param {{engine: string, matches: number, games?: string, level?: string}} request
 * @param {{node?: import('./node-copy.js').NodeCopy}} [options] another Node
 * @returns {Promise<RemoteTv>} once it listens
 * @throws {PitvError} what kept it from starting, by its code
 */
export async function startTv(request, { node } = {}) {
  const how = node ? { execPath: node.path, env: node.env } : {};
  const child = fork(SCRIPT, [JSON.stringify(request)], how);
  const exited = once(child, 'exit');
  const [said] = await Promise.race([once(child, 'message'), exited]);
  if (said?.failed) throw new PitvError(said.failed.code, said.failed.message);
  if (!said?.url) throw new Error(`the TV did not start (${said})`);
  return {
    child,
    pid: Number(child.pid),
    ...said,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/**
 * Starts a match as the admin: it goes on while no screen watches it.
 * @param {RemoteTv} tv @param {string} game @param {Record<string, number>} [options]
 */
export async function startMatch({ url, token }, game, options = {}) {
  const response = await fetch(`${url}/api/matches`, {
    method: 'POST',
    headers: {
      ...ONCE,
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ game, options }),
  });
  if (response.ok) return;
  const { error } = await response.json();
  throw new PitvError(error.code, `no match: ${error.message}`);
}

/**
 * A screen that has been let in. @param {RemoteTv} tv
 * @param {(message: any) => void} onMessage @returns {Promise<WebSocket>}
 */
export function openScreen({ url, code }, onMessage) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ t: 'hello', role: 'screen', code })));
    socket.on('error', reject);
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      const message = JSON.parse(String(data));
      if (message.t === 'welcome') resolve(socket);
      if (message.t === 'error') reject(new Error(message.message));
      onMessage(message);
    });
  });
}

/**
 * @param {RemoteTv} tv @param {number} games that run @param {number} ticks of each
 * @param {() => boolean} [also]
 */
export async function waitForTicks({ url }, games, ticks, also = () => true) {
  for (;;) {
    const { matches } = await (await fetch(`${url}/api/matches`, PLAIN)).json();
    if (matches.length < games) throw new Error('a match has ended');
    const played = matches.map((/** @type {{ticks: number}} */ one) => one.ticks);
    const missing = ticks - Math.min(...played);
    if (missing <= 0 && also()) return;
    await sleep(Math.min(MAX_POLL_MS, Math.max(POLL_MS, (missing * TICK_MS) / 2)));
  }
}
