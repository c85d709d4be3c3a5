/** Runs the web server of docs/runtime.md. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { writePrograms } from './examples.js';

/** Takes far longer than an answer of the other route, in any case. */
const LONG = 37;
const FIBONACCI_OF_LONG = 24_157_817;

test('the web server of docs/runtime.md answers while a request computes', async (t) => {
  const folder = writePrograms('docs/runtime.md', 'docs-server');
  const server = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', NODE_ENV: 'test' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const closed = once(server, 'close');
  t.after(() => server.kill());
  const [url] = await once(createInterface(server.stdout), 'line');

  /** @type {string[]} */
  const order = [];
  const long = fetch(`${url}/fibonacci/${LONG}`).then((response) => {
    order.push('long');
    return response.json();
  });
  const hello = await fetch(`${url}/hello`).then((response) => response.text());
  order.push('hello');
  assert.equal(hello, 'hello');
  assert.deepEqual(await long, { n: LONG, result: FIBONACCI_OF_LONG });
  assert.deepEqual(order, ['hello', 'long']);

  const crashed = await fetch(`${url}/fibonacci/1000000`); // its stack overflows
  assert.equal(crashed.status, 500);
  assert.match(await crashed.text(), /RangeError: Maximum call stack/);
  assert.equal((await fetch(`${url}/hello`)).status, 200);
  server.kill();
  await closed;
  assert.equal(errors, '');
});
