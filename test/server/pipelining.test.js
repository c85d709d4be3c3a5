/** Tests the limits on pipelined requests. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import test from 'node:test';
import { descriptors, openSocket } from '../support/wire.js';
import { faultyGame, metricsOf, startTv, until } from '../support/tv.js';

const games = [faultyGame];
const REQUEST = 'GET /admin HTTP/1.1\r\nHost: x\r\n\r\n';

test('connections that pipeline thousands of requests and read nothing are closed', async (t) => {
  const tv = await startTv(t, { games });
  const before = descriptors();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, descriptors())), 1);
  t.after(() => clearInterval(timer));
  const sockets = await Promise.all(Array.from({ length: 16 }, () => openSocket(t, tv)));
  for (const socket of sockets) socket.pause().write(REQUEST.repeat(3000));
  await until(() => tv.server.sockets === 0, 'the end of the connections');
  const dropped = await metricsOf(tv);
  assert.equal(dropped.get('pitv_messages_dropped_total{kind="pipelining"}'), 16);
  // Both ends of a connection are in this process, and each of its 4 responses may have a file open.
  assert.ok(most <= before + 16 * (2 + 4) + 16, `${most - before} descriptors more`);
  for (const socket of sockets) socket.destroy();
  await until(() => descriptors() <= before + 2, 'the closing of the descriptors');
});

test('four pipelined requests are all answered', async (t) => {
  const tv = await startTv(t, { games });
  const socket = await openSocket(t, tv);
  let answers = '';
  socket.on('data', (data) => (answers += data));
  socket.write(REQUEST.repeat(4));
  const count = () => answers.split('HTTP/1.1 200').length - 1;
  await until(() => count() === 4, 'four answers');
  socket.write(REQUEST.repeat(4));
  await until(() => count() === 8, 'four more');
});

test('a connection that is kept alive may make any number of requests', async (t) => {
  const tv = await startTv(t, { games });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const ports = new Set();
  for (let i = 0; i < 100; i++) {
    const [response] = await once(get(`${tv.url}/admin`, { agent }), 'response');
    ports.add(response.socket.localPort);
    response.resume();
    await once(response, 'end');
    assert.equal(response.statusCode, 200);
  }
  assert.equal(ports.size, 1);
});
