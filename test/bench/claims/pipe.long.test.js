/**
 * Bytes pass from one child process to another faster than through the streams of Node.js. Everything runs on one core:
 * on two, the throughput also depends on how fast the machine passes memory from one core to the other, and in a
 * virtual machine that changes from second to second (by a factor of four, for any transport).
 */
import { test } from 'node:test';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { measure } from './measure.js';

const ROUNDS = 5;
const NODE = { variant: 'node-default' };

test('pipes between child processes: faster than pipe(), and much faster when connected directly', async () => {
  stayOnOneCore();
  const wanted = [NODE.variant, 'pitv', 'pitv-direct'];
  const pipe = await measure('pipe', ROUNDS, {
    wanted: ({ variant }) => wanted.includes(variant),
  });
  // Usual on one core: 2.0 and 4.0.
  pipe.assertRatio('throughput', { variant: 'pitv' }, NODE, 1.4);
  pipe.assertRatio('throughput', { variant: 'pitv-direct' }, NODE, 2.5);
});

/** Keeps all threads of this process, and the children that it starts from now on, on one of its cores. */
function stayOnOneCore() {
  const allowed = /^Cpus_allowed_list:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'));
  execFileSync('taskset', ['-a', '-c', '-p', String(allowed?.[1]), String(process.pid)]);
}
