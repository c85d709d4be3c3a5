/**
 * Compares receivers of pads' datagrams: one dgram socket, processes that share a socket, and threads of the addon. A
 * sender on the same machine sends as fast as possible, so some datagrams are lost. The main metric is the number of
 * datagrams received per second of CPU time. Every receiver checks the MAC and writes the input, except
 * `dgram-1-unchecked`.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMs } from '../../machine/proc.js';
import { FIRST_PAD, FIRST_WARM_PAD, MAX_FLOWS } from './pads.js';
import { RECEIVERS } from './receivers.js';
import { buildSender, send } from './sender.js';

const WARM_MS = 300;
const MEASURE_MS = 1000;
const MEASURE_QUICK_MS = 400;
/** Ends a measurement early. */
const MAX_DATAGRAMS = 3_000_000;
const DRAIN_MS = 100;

const MANY = `${MAX_FLOWS} flows`;
const PINNED = `${MANY}, pinned`;
const ONE = '1 flow';

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'udp',
  title: 'Datagrams of 32 bytes received over loopback, sent as fast as possible',
  measures: ['app/udp', 'app/native/udp'],
  reference: 'dgram-1',
  metrics: [
    { name: 'datagrams_per_cpu_s', unit: '1/s', better: 'higher' },
    { name: 'cpu', unit: 'ns', compare: false },
    { name: 'kpps', unit: 'kpps', better: 'higher' },
    { name: 'dropped', unit: '%', compare: false },
    { name: 'balance', unit: 'mean/most', better: 'higher', compare: false },
  ],

  configurations: () =>
    Object.keys(RECEIVERS).flatMap((variant) =>
      [MANY, ONE, ...(variant.startsWith('addon') ? [PINNED] : [])].map((level) => ({
        variant,
        level,
      })),
    ),

  async sample({ variant, level }, { quick }) {
    buildSender();
    const key = randomBytes(16);
    const receiving = await RECEIVERS[variant](key, level === PINNED);
    const { port, pids } = receiving;
    const to = { port, flows: level === ONE ? 1 : MAX_FLOWS, key, most: MAX_DATAGRAMS };
    try {
      await send({ ...to, milliseconds: WARM_MS, firstPad: FIRST_WARM_PAD });
      await delay(DRAIN_MS);
      const before = { received: await receiving.received(), cpu: cpuMs(pids), lost: lost(port) };
      const milliseconds = quick ? MEASURE_QUICK_MS : MEASURE_MS;
      const { sent, seconds } = await send({ ...to, milliseconds, firstPad: FIRST_PAD });
      await delay(DRAIN_MS);
      const cpu = (cpuMs(pids) - before.cpu) * 1e6;
      const after = await receiving.received();
      const accepted = after.map((count, i) => count - before.received[i]);
      const received = accepted.reduce((a, b) => a + b, 0);
      if (received === 0) throw new Error('nothing was accepted');
      return {
        metrics: {
          datagrams_per_cpu_s: received / (cpu / 1e9),
          cpu: cpu / received,
          kpps: received / seconds / 1000,
          dropped: (100 * (lost(port) - before.lost)) / sent,
          balance: received / accepted.length / Math.max(...accepted),
        },
        facts: { sentKpps: sent / seconds / 1000, missing: sent - received },
      };
    } finally {
      await receiving.close();
    }
  },

  notes(samples) {
    const rates = samples.map(({ facts }) => facts.sentKpps).sort((a, b) => a - b);
    if (rates.length === 0) return [];
    return [
      `udp: the sender sent ${Math.round(rates[0])} to ${Math.round(rates[rates.length - 1])} thousand datagrams a second.`,
      'udp: over loopback, the kernel delivers a datagram in the CPU time of the sender. With a network card, it would take CPU time of the receiver.',
    ];
  },
};

/**
 * Returns the number of datagrams that the kernel dropped so far because a receive buffer of a port was full: the last
 * column of /proc/net/udp.
 * @param {number} port
 */
function lost(port) {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/udp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[1]?.endsWith(wanted))
    .reduce((sum, columns) => sum + Number(columns.at(-1)), 0);
}
