import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { test } from 'node:test';
import { countSizes as sizes, engineFor, jobUrl, until } from '../helpers.js';

const onLinux = { skip: process.platform !== 'linux' && 'priorities of threads are Linux' };

test('only the worker thread yields, the main thread keeps its priority', onLinux, async (t) => {
  const engine = await engineFor(t, 'thread');
  if (!engine) return;
  const before = os.getPriority();
  const worker = await engine.start(jobUrl('count'), { sizes, niceness: before + 7 });
  const stat = readFileSync(`/proc/self/task/${worker.tid}/stat`, 'latin1');
  assert.equal(Number(stat.split(') ')[1].split(' ')[16]), before + 7);
  assert.equal(os.getPriority(), before);
});

test('a thread that ran one match never runs another', async (t) => {
  const engine = await engineFor(t, 'thread');
  if (!engine) return;
  const threads = new Set();
  for (let i = 0; i < 3; i++) {
    const worker = await engine.start(jobUrl('count'), { sizes, options: { doneAt: 1 } });
    threads.add(worker.threadId);
    await worker.exited;
  }
  assert.equal(threads.size, 3);
});

test('a main thread that is busy does not make a worker late to answer', async (t) => {
  const engine = await engineFor(t, 'thread');
  if (!engine) return;
  const { mailbox } = await engine.start(jobUrl('count'), { sizes });
  await until(() => mailbox.tick > 0, 'it ticks');
  const { tick } = mailbox;
  const patience = performance.now() + 20_000;
  // No turn of this thread's event loop happens here: there are no messages on the hot path.
  while (mailbox.tick < tick + 10) assert.ok(performance.now() < patience, 'it stands still');
  assert.ok(mailbox.takeFrame());
});
