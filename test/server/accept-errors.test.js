/** Tests that the TV survives a time without free descriptors. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { onlyInAll } from '../support/extent.js';
import { startServe } from '../support/serve.js';
import { until } from '../support/tv.js';

const FEW = 3; // stdin, stdout and stderr
const WITHOUT_MS = 500;
/** Longer than the interval at which the TV looks for its addresses. */
const LONG_MS = 12_000;

/** @param {number} pid @param {string} limit */
const limitDescriptors = (pid, limit) =>
  execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:`]);

/** @param {import('../support/serve.js').ServeChild} serve */
const askFourTimes = (serve) =>
  Array.from({ length: 4 }, () => fetch(`${serve.url}/healthz`).then(({ status }) => status));

test('a TV without free descriptors keeps running, and answers when it has some again', async (t) => {
  const serve = await startServe(t, '--engine', 'thread');

  limitDescriptors(serve.pid, String(FEW));
  const answers = askFourTimes(serve);
  await delay(WITHOUT_MS);
  limitDescriptors(serve.pid, '1024');
  assert.deepEqual(await Promise.all(answers), [200, 200, 200, 200], serve.log);
  assert.ok(serve.running);
});

const long = { skip: onlyInAll };
test('without descriptors, a match whose worker and zygote died waits', long, async (t) => {
  const serve = await startServe(t, '--engine', 'zygote');
  await serve.ask('/api/matches', { method: 'POST', body: { game: 'collide' } });
  await until(() => serve.zygoteSettled && serve.workers.size === 1, 'the match');

  limitDescriptors(serve.pid, String(FEW));
  const answers = askFourTimes(serve);
  const [worker] = serve.workers.values();
  for (const pid of [serve.zygotePid, worker]) serve.signal(pid, 'SIGKILL');
  await delay(LONG_MS);
  limitDescriptors(serve.pid, '1024');
  assert.deepEqual(await Promise.all(answers), [200, 200, 200, 200], serve.log);
  const [before] = await serve.matches();
  const [after] = await until(async () => {
    const matches = await serve.matches();
    return matches[0].ticks > before.ticks && matches;
  }, 'the match goes on');
  assert.equal(after.id, before.id);
});
