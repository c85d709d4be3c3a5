import assert from 'node:assert/strict';
import { fork, spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADDRESS, missingForLink, startLink } from '../../../bench/network/link.js';
import { median } from '../../../bench/stats/stats.js';

const DATAGRAMS = fileURLToPath(new URL('datagrams.js', import.meta.url));
const FLOWS = 64;
const noCompiler = spawnSync(process.env.CC ?? 'cc', ['--version']).error && 'no C compiler here';
const skip = missingForLink() ?? noCompiler ?? false;

/**
 * Sends datagrams over a link, a round of one datagram of each flow after the other.
 * @param {import('../../../bench/network/link.js').Quality} quality @param {number} rounds @param {number} intervalMs
 * @returns {Promise<number[]>} the delay of each datagram that arrived, ms
 */
async function sendOver(quality, rounds, intervalMs) {
  const link = await startLink(quality);
  const { near, far } = link.sides;
  const receiver = fork(DATAGRAMS, ['receive', ADDRESS.near], near);
  const children = [receiver];
  try {
    const messages = on(receiver, 'message');
    const port = (await messages.next()).value[0];
    const args = [port, rounds, intervalMs].map(String);
    const sender = fork(DATAGRAMS, ['send', ADDRESS.near, ...args], far);
    children.push(sender);
    for await (const [message] of messages) {
      if (message !== 'next') return message;
      sender.send(message);
    }
    throw new Error('the receiver has ended');
  } finally {
    for (const child of children) child.disconnect();
    await Promise.all(children.map((child) => once(child, 'exit')));
    await link.stop();
  }
}

test('a link loses a share of packets, the same ones for the same seed', { skip }, async () => {
  const quality = { lossPercent: 2, delayMs: 0, jitterMs: 0, seed: 7 };
  const rounds = 40;
  const one = await sendOver(quality, rounds, 0);
  const again = await sendOver(quality, rounds, 0);
  assert.equal(one.length, again.length);
  const sent = rounds * FLOWS;
  const lost = sent - one.length;
  const deviation = Math.sqrt(sent * 0.02 * 0.98);
  assert.ok(Math.abs(lost - sent * 0.02) < 4 * deviation, `${lost} of ${sent} lost`);
});

test('a link delays packets by a time and an even part of the jitter', { skip }, async () => {
  const quality = { lossPercent: 0, delayMs: 50, jitterMs: 200 };
  const delays = await sendOver(quality, 5, 250); // longer than the jitter, which would hold back the next of a flow
  assert.equal(delays.length, 5 * FLOWS);
  const fastest = Math.min(...delays);
  assert.ok(fastest >= quality.delayMs);
  // A round arrives before the next one is sent. The median, because a busy machine may delay a whole round.
  const shares = Array.from({ length: 5 }, (_, round) => {
    const some = delays.slice(round * FLOWS, (round + 1) * FLOWS);
    return some.filter((delay) => delay - fastest < quality.jitterMs / 2).length / FLOWS;
  });
  const share = median(shares);
  assert.ok(share > 0.35 && share < 0.62, `${shares} of all in the first half of the jitter`);
});
