import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { extent } from '../../support/extent.js';
import { countSizes as sizes, engineFor, jobUrl, until } from '../helpers.js';

const onLinux = { skip: process.platform !== 'linux' && 'only Linux has priorities of threads' };

test('a niceness applies to the worker thread only', onLinux, async (t) => {
  const engine = await engineFor(t, 'thread');
  if (!engine) return;
  const before = os.getPriority();
  const worker = await engine.start(jobUrl('count'), { sizes, niceness: before + 7 });
  const stat = readFileSync(`/proc/self/task/${worker.tid}/stat`, 'latin1');
  assert.equal(Number(stat.split(') ')[1].split(' ')[16]), before + 7);
  assert.equal(os.getPriority(), before);
});

test('each worker gets a new thread', async (t) => {
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

test('frames reach a busy main thread without a turn of its event loop', async (t) => {
  const engine = await engineFor(t, 'thread');
  if (!engine) return;
  const { mailbox } = await engine.start(jobUrl('count'), { sizes });
  await until(() => mailbox.tick > 0, 'it ticks');
  const { tick } = mailbox;
  const deadline = performance.now() + 20_000;
  // Frames come through shared memory, so no event has to be handled.
  while (mailbox.tick < tick + 10) assert.ok(performance.now() < deadline, 'it stands still');
  assert.ok(mailbox.takeFrame());
});

test('threads that are ended as they start do not end the process', () => {
  const program = fileURLToPath(new URL('ended-as-it-starts.js', import.meta.url));
  const count = extent(80, 2000);
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [program, String(count)], {
    encoding: 'utf8',
  });
  assert.deepEqual({ status, signal }, { status: 0, signal: null }, stderr);
  assert.equal(Number(stdout), count);
});
