/**
 * Measures the time from a pad's input, sent by WebSocket or in a datagram, until a screen receives the frame that
 * shows it. The TV is otherwise idle, or runs matches whose inputs and frames keep the main thread busy. The time
 * always includes a tick of the game (16.7 ms) and a tick of the hub.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantileSorted } from 'simple-statistics';
import { parseSettings } from '../../../app/config/parse.js';
import { silentLog } from '../../../app/log.js';
import { createTv } from '../../../app/create-tv.js';
import { Child } from '../../harness/child.js';

const SAMPLES = 300;
const SAMPLES_QUICK = 30;
const IDLE = 'alone';
const LOAD = { screens: 8, pads: 24, matches: 3 };
const UNDER_LOAD = `beside ${LOAD.matches} matches, ${LOAD.pads} pads, ${LOAD.screens} screens`;
/** Variant -> transport of the inputs. @type {Record<string, 'websocket' | 'udp'>} */
const VARIANTS = { websocket: 'websocket', 'udp-addon': 'udp' };
const PAD = fileURLToPath(new URL('./pad.js', import.meta.url));
const LOAD_CLIENTS = fileURLToPath(new URL('../../harness/load-clients.js', import.meta.url));

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'input',
  title: 'Time from a pad’s input until a screen has the frame that shows it',
  measures: ['app/udp', 'app/server', 'app/engine'],
  reference: 'websocket',
  metrics: [
    { name: 'mean', unit: 'ms' },
    { name: 'p50', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
  ],

  configurations: ({ levels }) =>
    [IDLE, UNDER_LOAD]
      .filter((level) => levels === undefined || levels.includes(level))
      .flatMap((level) => Object.keys(VARIANTS).map((variant) => ({ variant, level }))),

  async sample({ variant, level }, { quick }) {
    const transport = VARIANTS[variant];
    const dataDir = mkdtempSync(join(tmpdir(), 'pitv-input-'));
    const flags = ['--port', '0', '--host', '127.0.0.1', '--data-dir', dataDir];
    const settings = parseSettings(
      [...flags, '--udp', '0', '--max-matches', '8', '--max-pads-per-address', '64'],
      {},
    );
    const tv = await createTv(settings, silentLog, { thorough: true });
    /** @type {Child[]} */
    const children = [];
    /** @param {string} program @param {object} request @returns {Promise<any>} its first message */
    const run = (program, request) => {
      const child = new Child(program, { url: tv.url, code: tv.code, ...request });
      children.push(child);
      return child.next();
    };
    try {
      await tv.start();
      if (level === UNDER_LOAD) await run(LOAD_CLIENTS, { ...LOAD, game: 'bumper' });
      const samples = quick ? SAMPLES_QUICK : SAMPLES;
      const times = (await run(PAD, { transport, samples })).sort(
        (/** @type {number} */ a, /** @type {number} */ b) => a - b,
      );
      const mean = times.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
      return {
        metrics: {
          mean: mean / times.length,
          p50: quantileSorted(times, 0.5),
          p99: quantileSorted(times, 0.99),
        },
      };
    } finally {
      for (const child of children) await child.stop();
      await tv.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },

  notes: () => [
    'input: pad and screen are one process on this machine, so the time includes no network, and no datagram is lost.',
  ],
};
