/** Zygotes restrict V8's optimizing compilers, but not for long. Runs on every Node.js by nodes.long.test.js. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine } from '../../../app/engine/index.js';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { jobUrl, until } from '../helpers.js';
import { sizes } from '../jobs/hot.js';
import { moduleOf, quiet } from './helpers.js';

test('a worker optimizes what it runs often', async (t) => {
  const engine = await createEngine('zygote', { modules: [jobUrl('hot')], thorough: true });
  t.after(() => engine.close());
  const { mailbox } = await engine.start(jobUrl('hot'), { sizes });
  await until(() => {
    mailbox.takeFrame();
    return mailbox.lastFrame.bytes[0] === 1;
  }, 'the function is optimized');
});

test('a child of any zygote optimizes what it runs often, also without its event loop', async (t) => {
  const url = jobUrl('hot');
  const zygote = await createZygote(
    moduleOf(`
      import job from ${JSON.stringify(url.href)};
      export default function run(_, worker) {
        const { step, writeFrame } = job.start();
        const frame = new Uint8Array(1);
        for (let i = 0; i < 100 && !frame[0]; i++) { step(); writeFrame(frame); }
        worker.send(frame[0]);
        process.exit();
      }`),
    quiet,
  );
  t.after(() => zygote.close());
  const child = await zygote.fork({});
  /** @type {unknown[]} */
  const messages = [];
  child.on('message', (message) => messages.push(message));
  await until(() => messages.length > 0, 'a message');
  assert.deepEqual(messages, [1]);
});
