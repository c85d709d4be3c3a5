/** How long a match stands still when its node dies or is drained, and what part of that is detection. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../harness/client.js';

const POLL_MS = 100;

/** @typedef {import('../../harness/local-fleet.js').LocalFleet} LocalFleet */

/** How a node fails. */
export const FAILURES = Object.freeze({
  'the TV is killed': (/** @type {LocalFleet} */ fleet, /** @type {number} */ i) => fleet.kill(i),
  'TV and server are killed': (/** @type {LocalFleet} */ fleet, /** @type {number} */ i) =>
    fleet.kill(i, { server: true }),
  'the TV is drained': (/** @type {LocalFleet} */ fleet, /** @type {number} */ i) =>
    fleet.nodes[i].tv.kill('SIGTERM'),
});

/**
 * Measures a failure. The screen is at another node; the phone is at the one that fails, and changes to another one.
 * @param {LocalFleet} fleet @param {{code: string, id: number, owner: number}} match
 * @param {keyof typeof FAILURES} failure @param {{settleMs: number, giveUpMs: number}} times
 */
export async function measureFailover(fleet, { code, id, owner }, failure, { settleMs, giveUpMs }) {
  const at = (owner + 1) % fleet.nodes.length;
  const screen = await Client.screen(fleet.nodes[at]);
  const pad = await Client.pad(fleet.nodes[owner], { code, name: 'Ann' });
  await pad.wait('lobby', ({ matches }) => matches.length > 0);
  pad.send({ t: 'join', match: id });
  await pad.wait('match');
  screen.send({ t: 'watch', match: id });
  await sleep(settleMs);
  const before = screen.frames - 1;
  const closed = once(pad.socket, 'close');
  const [began, beganAt] = [performance.now(), Date.now()];
  FAILURES[failure](fleet, owner);
  const phoning = comeBack(fleet, { pad, closed, at, giveUpMs });
  phoning.catch(() => {}); // it is awaited below
  let moved = owner;
  for (const end = performance.now() + giveUpMs; moved === owner; await sleep(POLL_MS)) {
    if (performance.now() > end) throw new Error('the match did not go on');
    const now = await fleet.ownerOf(id, at);
    if (now >= 0) moved = now;
  }
  await screen.nextFrame(performance.now(), giveUpMs);
  const times = screen.frameTimes.slice(before);
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  return {
    metrics: {
      still: Math.max(...gaps),
      phone: (await phoning) - began,
      ...takeoverOf(fleet.logs[moved], id, beganAt),
    },
  };
}

/**
 * Lets a phone change to another node, as its page does.
 * @param {LocalFleet} fleet
 * @param {{pad: import('../../harness/client.js').Client, closed: Promise<unknown>, at: number, giveUpMs:
 *   number}} phone
 * @returns {Promise<number>} when it shows a new frame of the match
 */
async function comeBack(fleet, { pad, closed, at, giveUpMs }) {
  await closed;
  const seen = pad.messages.length;
  await pad.connect(fleet.nodes[at]);
  await pad.wait('hud', () => true, seen, giveUpMs);
  return performance.now();
}

/**
 * Reads from the log of the new owner when it began to take over a match, and how long that took.
 * @param {string} log @param {number} id @param {number} beganAt when the node failed, by the clock of the log
 * @returns {{detection: number, takeover: number} | undefined} undefined: the match was handed over
 */
function takeoverOf(log, id, beganAt) {
  for (const line of log.split('\n')) {
    if (!line.includes('"a match was taken over"')) continue;
    const { time, match, reason, ms } = JSON.parse(line);
    if (match !== id || reason !== 'dead') continue;
    return { detection: new Date(time).getTime() - ms - beganAt, takeover: ms };
  }
  return undefined;
}
