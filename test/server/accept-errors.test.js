/** Tests that the TV survives connections that it cannot accept. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startServe } from '../support/serve.js';

const FEW = 3; // stdin, stdout and stderr
const WITHOUT_MS = 500;

/** @param {number} pid @param {string} limit */
const limitDescriptors = (pid, limit) =>
  execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:`]);

test('a TV without free descriptors keeps running, and answers when it has some again', async (t) => {
  const serve = await startServe(t, '--engine', 'thread');

  limitDescriptors(serve.pid, String(FEW));
  const answers = Array.from({ length: 4 }, () => fetch(`${serve.url}/healthz`));
  await delay(WITHOUT_MS);
  limitDescriptors(serve.pid, '1024');
  for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
  assert.ok(serve.running);
});
