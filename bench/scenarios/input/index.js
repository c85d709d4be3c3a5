/**
 * How long does a player wait? From the moment a pad sends an input, in a message of its websocket or in a
 * datagram, until a screen has the frame that shows it; on an idle TV, and beside matches whose inputs
 * and frames keep the main thread busy. It includes a tick of 16.7 ms and a tick of the hub in every case.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantileSorted } from 'simple-statistics';
import { parseSettings } from '../../../app/config/parse.js';
import { silentLog } from '../../../app/log.js';
import { createTv } from '../../../app/create-tv.js';

const SAMPLES = 300;
const SAMPLES_QUICK = 30;
const ALONE = 'alone';
const LOAD = { screens: 8, pads: 24, matches: 3 };
const BESIDE = `beside ${LOAD.matches} matches, ${LOAD.pads} pads, ${LOAD.screens} screens`;
/** Variant -> how the pad sends its inputs. @type {Record<string, 'websocket' | 'udp'>} */
const VARIANTS = { websocket: 'websocket', 'udp-addon': 'udp' };
const PAD = fileURLToPath(new URL('./pad.js', import.meta.url));
const LOAD_CLIENTS = fileURLToPath(new URL('../../harness/load-clients.js', import.meta.url));

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'input',
  title: 'From a pad’s input until a screen has the frame that shows it',
  reference: 'websocket',
  metrics: [
    { name: 'mean', unit: 'ms' },
    { name: 'p50', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
  ],

  configurations: ({ levels }) =>
    [ALONE, BESIDE]
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
    /** @type {import('node:child_process').ChildProcess[]} */
    const children = [];
    /** @param {string} program @param {object} asked */
    const run = (program, asked) => {
      const child = fork(program, [JSON.stringify({ url: tv.url, code: tv.code, ...asked })]);
      children.push(child);
      return told(child);
    };
    try {
      await tv.start();
      if (level === BESIDE) await run(LOAD_CLIENTS, { ...LOAD, game: 'bumper' });
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
      for (const child of children) if (child.connected) child.disconnect();
      await tv.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },

  notes: () => [
    'Pad and screen are one process on this machine: there is no network in it, and no lost datagram.',
  ],
};

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<any>} its first message */
async function told(child) {
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`a client ended with ${code}`);
  });
  gone.catch(() => {});
  const [message] = await Promise.race([once(child, 'message'), gone]);
  return message;
}
