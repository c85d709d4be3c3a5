/**
 * Threads of a child: those of Node's platform, which it starts again, and V8's compilers, which zygotes restrict, but
 * not for long. Runs on every Node.js by nodes.long.test.js.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { engineTests, jobUrl, until } from '../helpers.js';
import { sizes } from '../jobs/hot.js';
import { build, skip } from '../lock/raw-calls.js';
import { ask, moduleOf, untidyZygote, zygoteOf } from './helpers.js';
import { temporaryFolder } from '../../support/folders.js';

const SOURCE = fileURLToPath(new URL('./modules/small-argument.c', import.meta.url));
test('a library thread whose argument is not a pointer is not restarted', { skip }, async (t) => {
  const library = build(join(temporaryFolder(), 'small-argument.so'), ['-pthread', SOURCE]);
  const zygote = await untidyZygote(t, { env: { ...process.env, LD_PRELOAD: library } });
  assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
});

test('a task can be posted to the scheduler as soon as the threads run again', async (t) => {
  const module = moduleOf(`export default async function main(_, worker) {
    await undefined; // the threads are started when the first part of this function has run
    const empty = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    new WebAssembly.Instance(empty); // posts a delayed task to the scheduler
    worker.send('instantiated');
  }`);
  const zygote = await zygoteOf(t, module, {});
  // On one processor, the scheduler runs only when the main thread waits for it.
  for (let i = 0; i < 10; i++) {
    assert.equal(await ask(zygote, '', undefined, { cpus: [0] }), 'instantiated');
  }
});

const testHot = engineTests('zygote', { modules: [jobUrl('hot')], thorough: true });
testHot('a worker optimizes what it runs often', async (engine) => {
  const { mailbox } = await engine.start(jobUrl('hot'), { sizes });
  await until(() => {
    mailbox.takeFrame();
    return mailbox.lastFrame.bytes[0] === 1;
  }, 'the function is optimized');
});

test('a child of any zygote optimizes what it runs often, also without its event loop', async (t) => {
  const module = moduleOf(`
    import job from ${JSON.stringify(jobUrl('hot').href)};
    export default function run(_, worker) {
      const { step, writeFrame } = job.start();
      const frame = new Uint8Array(1);
      for (let i = 0; i < 100 && !frame[0]; i++) { step(); writeFrame(frame); }
      worker.send(frame[0]);
      process.exit();
    }`);
  const child = await (await zygoteOf(t, module)).fork({});
  assert.deepEqual(await once(child, 'message'), [1]);
});
