import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { test as plainTest } from 'node:test';
import { fileURLToPath } from 'node:url';
import { extent } from '../../support/extent.js';
import { countSizes as sizes, engineTests, jobUrl, until } from '../helpers.js';

const test = engineTests('thread');

test('a niceness applies to the worker thread only', async (engine, t) => {
  if (process.platform !== 'linux') return t.skip('only Linux has priorities of threads');
  const before = os.getPriority();
  const worker = await engine.start(jobUrl('count'), { sizes, niceness: before + 7 });
  const stat = readFileSync(`/proc/self/task/${worker.tid}/stat`, 'latin1');
  assert.equal(Number(stat.split(') ')[1].split(' ')[16]), before + 7);
  assert.equal(os.getPriority(), before);
});

test('each worker gets a new thread', async (engine) => {
  const threads = new Set();
  for (let i = 0; i < 3; i++) {
    const worker = await engine.start(jobUrl('count'), { sizes, options: { doneAt: 1 } });
    threads.add(worker.threadId);
    await worker.exited;
  }
  assert.equal(threads.size, 3);
});

test('frames reach a busy main thread without a turn of its event loop', async (engine) => {
  const { mailbox } = await engine.start(jobUrl('count'), { sizes });
  await until(() => mailbox.tick > 0, 'it ticks');
  const { tick } = mailbox;
  const deadline = performance.now() + 20_000;
  // Frames come through shared memory, so no event has to be handled.
  while (mailbox.tick < tick + 10) assert.ok(performance.now() < deadline, 'it stands still');
  assert.ok(mailbox.takeFrame());
});

plainTest('threads that are ended as they start do not end the process', () => {
  const program = fileURLToPath(new URL('ended-as-it-starts.js', import.meta.url));
  const count = extent(80, 2000);
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [program, String(count)], {
    encoding: 'utf8',
  });
  assert.deepEqual({ status, signal }, { status: 0, signal: null }, stderr);
  assert.equal(Number(stdout), count);
});
