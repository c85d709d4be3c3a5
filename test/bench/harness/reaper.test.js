/** A harness that is killed: nothing that it started may live on. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processTree } from '../../../bench/machine/proc.js';

const POLL_MS = 10;
const scenario = new URL('./fixtures/never-ends.js', import.meta.url).href;
const runner = `
  import { importScenario } from ${JSON.stringify(new URL('../../../bench/harness/scenarios.js', import.meta.url).href)};
  import { runScenarios } from ${JSON.stringify(new URL('../../../bench/harness/run.js', import.meta.url).href)};
  await runScenarios([await importScenario(${JSON.stringify(scenario)})], { scratch: process.argv[1] });
`;

/** Neither gone nor waiting for its parent to take note. @param {number} pid */
function runs(pid) {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const TIMEOUT_MS = 60_000;

test(
  'with a killed harness end its sample, that sample’s workers, and their folder',
  {
    timeout: TIMEOUT_MS,
  },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pitv-reaper-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const harness = spawn(process.execPath, ['--input-type=module', '-e', runner, folder], {
      stdio: ['ignore', 'inherit', 'inherit'],
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    });
    const ended = once(harness, 'exit');
    /** @type {number[]} */
    let tree = [];
    t.after(() => tree.filter(runs).forEach((pid) => process.kill(pid, 'SIGKILL')));
    // The scenario says by a file that its worker runs; nothing but its end would end it.
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
