/** Platform threads that a child starts again. Runs on every Node.js by nodes.long.test.js. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { ask, moduleUrl, untidyZygote } from './helpers.js';
import { temporaryFolder } from '../../support/folders.js';

const SOURCE = fileURLToPath(new URL('./modules/small-argument.c', import.meta.url));
const CC = process.env.CC ?? 'cc';
const skip = spawnSync(CC, ['--version']).error ? 'there is no C compiler' : false;
/** Children with platform threads that must end while the one without them does not. */
const ENDS = 5;
/** Node 24 does not wait for the platform when a worker_thread ends. */
const WAITS = !process.version.startsWith('v24.');

/** @param {{after: (action: () => any) => void}} t @param {boolean} restart */
async function zygoteOfThreads(t, restart) {
  const zygote = await createZygote(moduleUrl('threads'), { args: { restart } });
  t.after(() => zygote.close());
  return zygote;
}

test('without the platform threads, a worker_thread of a child does not end (Node 20, 22 and 26)', async (t) => {
  const without = await zygoteOfThreads(t, false);
  const complete = await zygoteOfThreads(t, true);
  const stuck = await without.fork();
  for (let i = 0; i < ENDS; i++) {
    const child = await complete.fork();
    assert.deepEqual(await once(child, 'message'), [42]);
    assert.equal((await child.exited).code, 0);
  }
  assert.equal(stuck.exit !== undefined, !WAITS);
});

test('a library thread whose argument is not a pointer is not restarted', { skip }, async (t) => {
  const folder = temporaryFolder(t);
  const library = join(folder, 'small-argument.so');
  const args = ['-shared', '-fPIC', '-pthread', '-o', library, SOURCE];
  const { status, stderr } = spawnSync(CC, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const zygote = await untidyZygote(t, { env: { ...process.env, LD_PRELOAD: library } });
  assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
});

test('a task can be posted to the scheduler as soon as the threads run again', async (t) => {
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
