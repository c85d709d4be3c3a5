/** A pool that runs for long does not grow: no task leaves memory behind that is freed late or never. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeVersions } from '../nodes.js';
import { ENGINES, moduleUrl } from './helpers.js';

/** PITV_TASKS=1000000 takes half an hour for all versions of Node.js. */
const TASKS = Number(process.env.PITV_TASKS ?? 100_000);
/**
 * The young generation of V8 grows to its full size, in each thread, which makes up to four times the memory of an idle
 * pool on Node.js 24. A kilobyte that each task keeps makes it more.
 */
const MAX_RATIO = 6;
const PROGRAM = fileURLToPath(moduleUrl('many-tasks.js'));
const MIB = 1024;

for (const { name: node, command, skip } of nodeVersions()) {
  for (const [name, engine] of Object.entries(ENGINES)) {
    if (engine.addon === false) continue; // the same code as with the addon, only slower
    test(`${node}, ${name}: memory after ${TASKS} tasks`, { skip }, async (t) => {
      if (command.length > 1) return t.skip('takes hours in an emulator');
      const args = [PROGRAM, JSON.stringify(engine), String(TASKS)];
      const { stdout } = await promisify(execFile)(command[0], args);
      const { idle, end } = JSON.parse(stdout);
      for (const [i, before] of idle.entries()) {
        const place = i === 0 ? 'program' : 'worker';
        const [from, to] = [before, end[i]].map((kib) => Math.round(kib / MIB));
        t.diagnostic(`${place}: ${from} MiB idle, ${to} MiB afterwards`);
        assert.ok(end[i] < MAX_RATIO * before, `${place}: from ${from} to ${to} MiB`);
      }
    });
  }
}
