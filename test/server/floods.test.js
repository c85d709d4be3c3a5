/**
 * Tests that clients are disconnected that flood with control frames, fragments or pipelined requests, and that refused
 * websocket upgrades hold no resources.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import test from 'node:test';
import { Client, faultyGame, startTv, until } from '../support/tv.js';
import {
  OPCODE,
  closed,
  descriptors,
  frame,
  openRawWebSocket,
  openSocket,
  upgradeRequest,
} from '../support/wire.js';
import { dropped } from './refusals.js';

const games = [faultyGame];

/** @param {number} code @param {string} reason @returns {Buffer} the close frame that the TV sends */
const closeFrame = (code, reason) =>
  Buffer.concat([
    Buffer.from([0x88, 2 + reason.length, code >> 8, code & 0xff]),
    Buffer.from(reason),
  ]);

for (const [name, opcode] of /** @type {const} */ ([
  ['pongs', OPCODE.pong],
  ['pings', OPCODE.ping],
])) {
  test(`a client that sends 2.6 million ${name} is disconnected before all are read`, async (t) => {
    const tv = await startTv(t, { games });
    const flood = await openRawWebSocket(t, tv);
    const expected = closeFrame(1008, 'too many pings or pongs');
    let answer = Buffer.alloc(0);
    let unsent = 0;
    flood.on('data', (data) => {
      answer = Buffer.concat([answer, data]);
      if (answer.includes(expected)) unsent = flood.writableLength;
    });
    flood.write(Buffer.alloc(26 * 600_000, frame(opcode)));
    await closed(flood);
    assert.ok(answer.includes(expected), 'the close code arrived');
    assert.ok(unsent > 0, 'the TV has not read everything');
    assert.equal(await dropped(tv, 'control-flood'), 1);
    assert.ok(answer.length < 1000, `${answer.length} bytes were sent in return`);
  });
}

test('a message of a hundred fragments closes its connection', async (t) => {
  const tv = await startTv(t, { games });
  const client = await openRawWebSocket(t, tv);
  client.resume();
  client.write(frame(OPCODE.text, '', { fin: false }));
  client.write(Buffer.alloc(6 * 100, frame(OPCODE.continuation, '', { fin: false })));
  await closed(client);
  assert.equal(await dropped(tv, 'protocol'), 1);
});

test('a message of a few fragments is accepted', async (t) => {
  const tv = await startTv(t, { games });
  const client = await openRawWebSocket(t, tv);
  let answer = '';
  client.on('data', (data) => (answer += data.toString('latin1')));
  const hello = JSON.stringify({ t: 'hello', role: 'pad', code: tv.code });
  client.write(frame(OPCODE.text, hello.slice(0, 10), { fin: false }));
  for (const letter of hello.slice(10, 20)) {
    client.write(frame(OPCODE.continuation, letter, { fin: false }));
  }
  client.write(frame(OPCODE.continuation, hello.slice(20)));
  await until(() => answer.includes('welcome'), 'the welcome');
});

test('a client that sends 40 pings at once gets 40 pongs', async (t) => {
  const tv = await startTv(t, { games });
  const client = await Client.pad(tv);
  let pongs = 0;
  client.socket.on('pong', () => pongs++);
  for (let i = 0; i < 40; i++) client.socket.ping();
  await until(() => pongs === 40, 'an answer to each ping');
  await client.settle();
});

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
  assert.equal(await dropped(tv, 'pipelining'), 16);
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

test('a refused client that keeps its connection open is disconnected', async (t) => {
  const tv = await startTv(t, { games });
  const quiet = await openSocket(t, tv);
  quiet.write(upgradeRequest(tv, { path: '/nope' }));
  const busy = await openSocket(t, tv);
  busy.write(upgradeRequest(tv, { path: '/nope' }) + 'x'.repeat(200_000));
  for (const socket of [quiet, busy]) socket.resume();
  await Promise.all([closed(quiet), closed(busy)]);
  assert.equal(tv.server.sockets, 0);
});

test('an upgrade after an unanswered request is refused', async (t) => {
  const tv = await startTv(t, { games });
  const socket = await openSocket(t, tv);
  let answer = '';
  socket.on('data', (data) => (answer += data));
  socket.write(`GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n${upgradeRequest(tv)}`);
  await closed(socket);
  assert.doesNotMatch(answer, / 101 /);
});

test('a refused upgrade does not delay stop()', async (t) => {
  const tv = await startTv(t, { games });
  const socket = await openSocket(t, tv);
  socket.write(upgradeRequest(tv, { path: '/nope' }));
  await once(socket, 'data');
  await tv.stop();
});
