/**
 * Measures the time from a pad's input, sent by WebSocket or in a datagram, until a screen receives the frame that
 * shows it. The TV is otherwise idle, or runs matches whose inputs and frames keep the main thread busy. The time
 * always includes a tick of the game (16.7 ms) and a tick of the hub.
 */
import { fileURLToPath } from 'node:url';
import { mean, quantile } from 'simple-statistics';
import { Child } from '../../harness/child.js';
import { startLocalTv } from '../../harness/local-tv.js';
import { startClients } from '../../harness/remote-tv.js';

const SAMPLES = 300;
const SAMPLES_QUICK = 30;
const IDLE = 'alone';
const LOAD = { screens: 8, pads: 24, matches: 3 };
const UNDER_LOAD = `beside ${LOAD.matches} matches, ${LOAD.pads} pads, ${LOAD.screens} screens`;
/** Variant -> transport of the inputs. @type {Record<string, 'websocket' | 'udp'>} */
const VARIANTS = { websocket: 'websocket', 'udp-addon': 'udp' };
const PAD = fileURLToPath(new URL('./pad.js', import.meta.url));

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'input',
  title: 'Time from a pad’s input until a screen has the frame that shows it',
  reference: 'websocket',
  metrics: [
    { name: 'mean', unit: 'ms' },
    { name: 'p50', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
  ],

  configurations: () =>
    [IDLE, UNDER_LOAD].flatMap((level) =>
      Object.keys(VARIANTS).map((variant) => ({ variant, level })),
    ),

  async sample({ variant, level }, { quick, after }) {
    const limits = ['--max-matches', '8', '--max-pads-per-address', '64'];
    const { tv, close } = await startLocalTv(['--udp', '0', ...limits], { thorough: true });
    after(close);
    const { url, code } = tv;
    if (level === UNDER_LOAD) after((await startClients(tv, { ...LOAD, game: 'bumper' })).stop);
    const samples = quick ? SAMPLES_QUICK : SAMPLES;
    const pad = new Child(PAD, { url, code, transport: VARIANTS[variant], samples });
    after(() => pad.stop());
    /** @type {number[]} */
    const times = await pad.next();
    return {
      metrics: { mean: mean(times), p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
    };
  },

  notes: () => [
    'input: pad and screen are one process on this machine, so the time includes no network, and no datagram is lost.',
  ],
};
