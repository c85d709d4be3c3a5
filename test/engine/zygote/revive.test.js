/** Threads of other libraries in a zygote. Run on every Node by nodes.test.js. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { ask, moduleUrl, untidyZygote } from './helpers.js';

const SOURCE = fileURLToPath(new URL('./modules/small-argument.c', import.meta.url));
const CC = process.env.CC ?? 'cc';
const skip = spawnSync(CC, ['--version']).error ? 'there is no C compiler' : false;

test('a thread whose argument is no pointer does no harm', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-thread-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const library = join(folder, 'small-argument.so');
  const args = ['-shared', '-fPIC', '-pthread', '-o', library, SOURCE];
  const { status, stderr } = spawnSync(CC, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const zygote = await untidyZygote(t, { env: { ...process.env, LD_PRELOAD: library } });
  assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
});

test('a task can be posted to the scheduler as soon as the threads are revived', async (t) => {
  const zygote = await createZygote(moduleUrl('first-wasm'), {});
  t.after(() => zygote.close());
  for (let i = 0; i < 10; i++) {
    // On one processor, the scheduler runs only when the main thread waits for it.
    const child = await zygote.fork({}, { cpus: [0] });
    /** @type {unknown[]} */
    const messages = [];
    child.on('message', (message) => messages.push(message));
    const { code, signal } = await child.exited;
    assert.deepEqual([code, signal, messages], [0, null, ['instantiated']]);
  }
});
