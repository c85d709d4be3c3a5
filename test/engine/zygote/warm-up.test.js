/** Warming up the module of a zygote. Runs on every Node.js by nodes.long.test.js. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { moduleOf, quiet, rejects, untidyZygote } from './helpers.js';

test('createZygote() rejects with the error of the module', async () => {
  await rejects(createZygote('file:///nowhere.js', quiet), 'PITV_ZYGOTE_FAILED', /nowhere/);
  const throws = moduleOf('export function warm() { throw new Error("not today"); }');
  await rejects(createZygote(throws, quiet), 'PITV_ZYGOTE_FAILED', /not today/);
  const exits = moduleOf('export function warm() { process.exit(3); }');
  await rejects(createZygote(exits, quiet), 'PITV_ZYGOTE_FAILED', /code 3/);
  const threads = moduleOf(`import { Worker } from 'node:worker_threads';
    export function warm() { new Worker('setInterval(() => {}, 1000)', { eval: true }).unref(); }`);
  await rejects(createZygote(threads, quiet), 'PITV_ZYGOTE_FAILED', /threads/);
});

test("'ready' lists what the module left open", async (t) => {
  const zygote = await untidyZygote(t);
  const ready = once(zygote, 'ready');
  process.kill(zygote.pid, 'SIGKILL');
  const [{ closed }] = await ready;
  assert.match(closed.join(), /timers/);
  assert.match(closed.join(), /tcp/);
  assert.match(closed.join(), /process/);
  assert.match(closed.join(), /descriptors/);
});

test('warm() warms up the module again', async (t) => {
  const counter = moduleOf(`let warm = [];
    export { warmUp as warm };
    function warmUp(args) {
      if (args === 'bad') throw new Error('bad');
      warm.push(args);
    }
    export default (_, worker) => worker.send(warm);`);
  const zygote = await createZygote(counter, { ...quiet, args: 'first' });
  t.after(() => zygote.close());
  const seen = async () => {
    const child = await zygote.fork();
    return (await once(child, 'message'))[0];
  };
  assert.deepEqual(await seen(), ['first']);
  await zygote.warm('second');
  assert.deepEqual(await seen(), ['first', 'second']);
  await rejects(zygote.warm('bad'), 'PITV_ZYGOTE_FAILED', /bad/);
  assert.deepEqual(await seen(), ['first', 'second']);
});

test('a zygote that cannot be warmed up again emits failed, and a later one works', async (t) => {
  const file = join(tmpdir(), `pitv-warm-${process.pid}`);
  const module = moduleOf(`import { readFileSync } from 'node:fs';
    export function warm(file) { if (readFileSync(file, 'utf8') !== 'good') throw new Error('no'); }
    export default () => {};`);
  writeFileSync(file, 'good');
  const zygote = await createZygote(module, { ...quiet, args: file });
  const alive = setInterval(() => {}, 1000);
  t.after(() => {
    clearInterval(alive);
    rmSync(file);
    return zygote.close();
  });
  writeFileSync(file, 'bad');
  const failed = once(zygote, 'failed');
  process.kill(zygote.pid, 'SIGKILL');
  await failed;
  await rejects(zygote.fork(), 'PITV_ZYGOTE_FAILED', /no/);
  assert.equal(zygote.pid, 0);
  const ready = once(zygote, 'ready');
  writeFileSync(file, 'good');
  await ready;
  assert.equal((await (await zygote.fork()).exited).code, 0);
});
