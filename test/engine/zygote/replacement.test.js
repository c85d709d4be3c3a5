/** What happens when a zygote dies or stops. Runs on every Node.js by nodes.long.test.js. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { ask, rejects, untidyZygote } from './helpers.js';

/** @param {number} pid */
const parentOf = (pid) => Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)]));

test('when the zygote dies, its children continue and another zygote forks', async (t) => {
  const zygote = await untidyZygote(t);
  const talking = await zygote.fork({ probe: 'talk' });
  const staying = await zygote.fork({ probe: 'stay' });
  const old = zygote.pid;
  const died = once(zygote, 'died');
  process.kill(old, 'SIGKILL');
  const started = await Promise.all(Array.from({ length: 5 }, () => ask(zygote, 'identity')));
  assert.equal((await died)[0].signal, 'SIGKILL');
  assert.notEqual(zygote.pid, old);
  for (const { ppid } of started) assert.ok(ppid === old || ppid === zygote.pid);

  const answer = once(talking, 'message');
  talking.send('still there?');
  assert.deepEqual(await answer, ['still there?']);
  assert.notEqual(parentOf(talking.pid), old);
  talking.send('end');
  const ended = await talking.exited;
  assert.deepEqual([ended.code, ended.orphaned], [0, true], 'it reported its end itself');
  staying.kill('SIGKILL');
  const killed = await staying.exited;
  assert.deepEqual([killed.signal, killed.orphaned], ['SIGKILL', true]);
});

test('zygotes that die repeatedly are replaced after growing pauses', async (t) => {
  const zygote = await untidyZygote(t);
  /** Kills the zygote and waits for the next one. @returns {Promise<number>} ms between them, without the warm-up */
  const die = async (/** @type {boolean} */ pause) => {
    const died = once(zygote, 'died');
    const ready = once(zygote, 'ready');
    process.kill(zygote.pid, 'SIGKILL');
    await died;
    const since = performance.now();
    if (pause)
      await rejects(zygote.fork(), 'PITV_ZYGOTE_FAILED', /died soon after they were ready/);
    const [{ warmMs }] = await ready;
    return performance.now() - since - warmMs;
  };
  await die(false);
  const pauses = [await die(true), await die(true), await die(true)];
  for (const [i, ms] of pauses.entries()) assert.ok(ms > 240 * 2 ** i, `pause ${i}: ${ms} ms`);
  assert.equal((await ask(zygote, 'identity')).ppid, zygote.pid);
});

test('a stopped zygote is replaced', { timeout: 60_000 }, async (t) => {
  const zygote = await untidyZygote(t);
  const old = zygote.pid;
  process.kill(old, 'SIGSTOP');
  const { ppid } = await ask(zygote, 'identity');
  assert.notEqual(ppid, old);
  assert.equal(ppid, zygote.pid);
});
