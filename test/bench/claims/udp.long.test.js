/** The addon receives more datagrams per second of CPU time than a dgram socket of Node.js. */
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { measure } from './measure.js';

const ROUNDS = 3;
const LEVEL = '64 flows';
const ADDON = { variant: 'addon-1' };
const DGRAM = ['dgram-1', 'dgram-1-unchecked'];
/** About half of what is usual. */
const MIN_RATIO = 2;
const skip = spawnSync(process.env.CC ?? 'cc', ['--version']).error ? 'no C compiler' : false;

test('udp: datagrams per second of CPU time', { skip }, async () => {
  const wanted = [ADDON.variant, ...DGRAM];
  const udp = await measure('udp', ROUNDS, {
    wanted: ({ variant, level }) => level === LEVEL && wanted.includes(variant),
  });
  for (const variant of DGRAM) {
    udp.assertRatio('datagrams_per_cpu_s', ADDON, { variant }, MIN_RATIO);
  }
});
