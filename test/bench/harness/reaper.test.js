/** Tests that all descendants of a killed harness end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processTree } from '../../../app/process/process-tree.js';
import { temporaryFolder } from '../../support/folders.js';

const POLL_MS = 10;
const scenario = new URL('./fixtures/never-ends.js', import.meta.url).href;
const runner = `
  import { importScenario } from ${JSON.stringify(new URL('../../../bench/harness/scenarios.js', import.meta.url).href)};
  import { runScenarios } from ${JSON.stringify(new URL('../../../bench/harness/run.js', import.meta.url).href)};
  await runScenarios([await importScenario(${JSON.stringify(scenario)})], { scratch: process.argv[1] });
`;

/** Returns whether a process exists and is not a zombie. @param {number} pid */
function runs(pid) {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const TIMEOUT_MS = 60_000;

test(
  'when the harness is killed, its sample and the sample’s workers end, and their folder is removed',
  {
    timeout: TIMEOUT_MS,
  },
  async (t) => {
    const folder = temporaryFolder(t);
    const harness = spawn(process.execPath, ['--input-type=module', '-e', runner, folder], {
      stdio: ['ignore', 'inherit', 'inherit'],
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    });
    const ended = once(harness, 'exit');
    /** @type {number[]} */
    let tree = [];
    t.after(() => tree.filter(runs).forEach((pid) => process.kill(pid, 'SIGKILL')));
    // The scenario creates a file when its worker is running. The worker ends only if it is killed.
    const workDir = async () => {
      for (;;) {
        const [name] = readdirSync(folder);
        if (name && existsSync(join(folder, name, 'worker-runs'))) return join(folder, name);
        await sleep(POLL_MS);
      }
    };
    const work = await workDir();
    tree = processTree(Number(harness.pid));
    assert.ok(tree.length >= 3, `${tree.length} processes`);
    harness.kill('SIGKILL');
    await ended;
    while (tree.some(runs) || existsSync(work)) await sleep(POLL_MS);
  },
);
