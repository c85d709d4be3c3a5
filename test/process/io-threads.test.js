/** The size of libuv's thread pool: the requested one, and the actual one in a started program. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { verifyPoolSize, poolSize, requestedPoolSize } from '../../app/process/io-threads.js';
import { nodeVersions } from '../nodes.js';
import { runCommand } from '../support/cli.js';
import { startServe } from '../support/serve.js';
import { until } from '../support/tv.js';

const PROGRAM = fileURLToPath(new URL('../support/pool-threads.js', import.meta.url));

test('the flag wins over the environment, and both win over the recommendation', () => {
  const serve = (/** @type {string[]} */ ...flags) => ['serve', ...flags];
  assert.equal(requestedPoolSize(serve('--io-threads', '7'), {}), 7);
  assert.equal(requestedPoolSize(serve('--io-threads=7'), { PITV_IO_THREADS: '9' }), 7);
  assert.equal(requestedPoolSize(serve('--io-threads', '3', '--io-threads', '5'), {}), 5);
  assert.equal(requestedPoolSize(serve(), { PITV_IO_THREADS: '9', UV_THREADPOOL_SIZE: '2' }), 9);
  assert.equal(requestedPoolSize(serve(), { UV_THREADPOOL_SIZE: '2' }), undefined);
  assert.equal(requestedPoolSize(serve(), {}, 16), 4, 'as many matches as cores');
  assert.equal(requestedPoolSize(serve('--max-matches', '1'), {}, 16), 15, 'the free cores');
  assert.equal(requestedPoolSize(serve('--max-matches', '1'), {}, 256), 128);
  assert.equal(requestedPoolSize(serve('--max-matches', '16'), {}, 2), 4);
  assert.equal(requestedPoolSize(serve('--max-matches', 'auto'), {}, 2), 4);
  for (const wrong of ['0', '129', '-1', '4.5', 'many', '']) {
    assert.equal(requestedPoolSize(serve('--io-threads', wrong), {}), undefined, wrong);
  }
  assert.equal(requestedPoolSize(['help', '--io-threads', '7'], {}), undefined);
  assert.equal(requestedPoolSize(serve('--io-threads'), {}), 4);
});

test('poolSize() reads UV_THREADPOOL_SIZE as libuv does', () => {
  assert.equal(poolSize({}), 4);
  assert.equal(poolSize({ UV_THREADPOOL_SIZE: '12' }), 12);
  assert.equal(poolSize({ UV_THREADPOOL_SIZE: '5000' }), 1024);
  assert.equal(poolSize({ UV_THREADPOOL_SIZE: 'x' }), 4);
});

test('a size that cannot be set any more is an error with a remedy', async () => {
  await assert.rejects(verifyPoolSize(poolSize() + 1), {
    code: 'PITV_IO_THREADS',
    message: /UV_THREADPOOL_SIZE=\d+ in the environment/,
  });
});

for (const { name, command, skip } of nodeVersions().filter(({ name }) => !name.includes('arm'))) {
  test(`${name}: the pool has the requested number of threads`, { skip }, () => {
    /** @param {string | undefined} variable @param {...string} flags */
    const threadsOf = (variable, ...flags) => {
      const [node, ...args] = [...command, PROGRAM, 'serve', ...flags];
      /** @type {Record<string, string | undefined>} */
      const env = { ...process.env };
      delete env.PITV_IO_THREADS;
      delete env.UV_THREADPOOL_SIZE;
      if (variable !== undefined) env.UV_THREADPOOL_SIZE = variable;
      const { stdout, stderr } = spawnSync(node, args, { encoding: 'utf8', env });
      assert.match(stdout, /^\{/, stderr);
      return JSON.parse(stdout);
    };
    const plain = threadsOf('4');
    const nine = threadsOf(undefined, '--io-threads', '9');
    assert.equal(nine.threads - plain.threads, 9 - 4);
    assert.equal(threadsOf('9', '--io-threads', '1').threads - plain.threads, 1 - 4);
    assert.deepEqual(nine.argv, ['serve', '--io-threads', '9'], 'the same arguments');
    assert.equal(nine.variable, undefined, 'workers do not inherit the size');
  });
}

test('pitv serve --io-threads logs the number, and stays the same process', async (t) => {
  const tv = await startServe(t, '--engine', 'thread', '--io-threads', '6');
  await until(() => /"ioThreads":6,.*the TV is running/.test(tv.log), 'the number in the log');
  tv.child.kill('SIGTERM');
  await tv.ended();
  const { exitCode, signalCode } = tv.child;
  assert.deepEqual([exitCode, signalCode], [0, null], 'this process gets signals');
});

test('a number out of range is an error that names the range', async () => {
  for (const wrong of ['0', '129', 'four']) {
    const { status, stderr } = await runCommand(['serve', '--io-threads', wrong]);
    assert.equal(status, 2);
    assert.match(stderr, /--io-threads must be 1\.\.128 \| auto/);
  }
});
