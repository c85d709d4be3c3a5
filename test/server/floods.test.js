/**
 * Tests that clients are disconnected that flood with control frames, fragments or pipelined requests, that refused
 * websocket upgrades hold no resources, and the limits on the kernel's buffers.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, get } from 'node:http';
import { get as getTls } from 'node:https';
import { connect, createServer } from 'node:net';
import test, { after } from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { clientAddresses } from '../../app/server/origins.js';
import { Counters } from '../../app/server/metrics.js';
import { RequestLimits } from '../../app/server/request-limits.js';
import { limitKernelBuffers } from '../../app/server/sockets.js';
import { makeCertificate } from '../support/certificate.js';
import { listen } from '../support/http.js';
import { Client, games, startTv, temporaryFolder, until } from '../support/tv.js';
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

const tv = await startTv({ after }, { games });

test('a client that sends 2.6 million pings or pongs is disconnected before all are read', async (t) => {
  for (const opcode of [OPCODE.ping, OPCODE.pong]) {
    const flood = await openRawWebSocket(t, tv);
    const reason = Buffer.from('\x03\xf0too many pings or pongs', 'latin1'); // 1008
    const expected = frame(OPCODE.close, reason, { masked: false });
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
    assert.ok(answer.length < 1000, `${answer.length} bytes were sent in return`);
  }
  assert.equal(await dropped(tv, 'control-flood'), 2);
});

test('a message of a hundred fragments closes its connection, one of a few is accepted', async (t) => {
  const client = await openRawWebSocket(t, tv);
  client.resume();
  client.write(frame(OPCODE.text, '', { fin: false }));
  client.write(Buffer.alloc(6 * 100, frame(OPCODE.continuation, '', { fin: false })));
  await closed(client);
  assert.equal(await dropped(tv, 'protocol'), 1);
  const other = await openRawWebSocket(t, tv);
  let answer = '';
  other.on('data', (data) => (answer += data.toString('latin1')));
  const hello = JSON.stringify({ t: 'hello', role: 'pad', code: tv.code });
  other.write(frame(OPCODE.text, hello.slice(0, 10), { fin: false }));
  for (const letter of hello.slice(10, 20)) {
    other.write(frame(OPCODE.continuation, letter, { fin: false }));
  }
  other.write(frame(OPCODE.continuation, hello.slice(20)));
  await until(() => answer.includes('welcome'), 'the welcome');
});

test('a client that sends 40 pings at once gets 40 pongs', async () => {
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
  const socket = await openSocket(t, tv);
  let answers = '';
  socket.on('data', (data) => (answers += data));
  socket.write(REQUEST.repeat(4));
  const count = () => answers.split('HTTP/1.1 200').length - 1;
  await until(() => count() === 4, 'four answers');
  socket.write(REQUEST.repeat(4));
  await until(() => count() === 8, 'four more');
});

test('requests whose connection has ended before their turn do not count any more', async (t) => {
  const settings = /** @type {any} */ ({ maxRequestsPerSecond: 50, maxClientsPerAddress: 64 });
  const counters = new Counters();
  const limits = new RequestLimits(settings, clientAddresses([]), counters);
  let requests = 0;
  let ended = 0;
  const server = createHttpServer(limits.guard(() => void requests++)); // it answers none
  server.on('connection', (socket) => socket.once('close', () => ended++));
  const port = await listen(t, server);
  for (let i = 1; 4 * i <= 2 * LIMITS.unfinishedPerAddress.value; i++) {
    const socket = await openSocket(t, { port });
    socket.write(REQUEST.repeat(4));
    await until(() => requests === 4 * i || counters.drops.size > 0, 'four requests');
    socket.destroy();
    await until(() => ended === i, 'the end of the connection');
  }
  assert.deepEqual([...counters.drops], []);
});

test('a refused client that keeps its connection open is disconnected', async (t) => {
  const quiet = await openSocket(t, tv);
  quiet.write(upgradeRequest(tv, { path: '/nope' }));
  const busy = await openSocket(t, tv);
  busy.write(upgradeRequest(tv, { path: '/nope' }) + 'x'.repeat(200_000));
  for (const socket of [quiet, busy]) socket.resume();
  await Promise.all([closed(quiet), closed(busy)]);
});

test('an upgrade after an unanswered request is refused', async (t) => {
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

const SENT_BYTES = 1_000_000;
/** Almost the maximum size of a request's headers. */
const cookie = `a=${'x'.repeat(LIMITS.headerBytes.value - 1000)}`;

test('a read returns at most twice the size of the buffer', async (t) => {
  const bytes = LIMITS.receiveBytes.value;
  let most = 0;
  let received = 0;
  const server = createServer((socket) => {
    socket.on('data', ({ length }) => {
      most = Math.max(most, length);
      received += length;
    });
    socket.on('end', () => socket.end());
  });
  const port = await listen(t, server);
  limitKernelBuffers(server, bytes, 1);
  const socket = connect({ port, host: '127.0.0.1' }).resume();
  socket.end(Buffer.alloc(SENT_BYTES));
  await once(socket, 'close');
  assert.equal(received, SENT_BYTES);
  assert.ok(most <= 2 * bytes, `${most} bytes at once`);
});

test('requests with large cookies are answered, with and without TLS', async (t) => {
  const [plain] = await once(get(`${tv.url}/pad`, { headers: { cookie } }), 'response');
  assert.equal(plain.resume().statusCode, 200);
  const { cert, key, pem: ca } = await makeCertificate(temporaryFolder(), 'tv');
  const secure = await startTv(t, { games, args: ['--tls-cert', cert, '--tls-key', key] });
  const request = getTls(`${secure.url}/pad`, { ca, headers: { cookie } });
  const [encrypted] = await once(request, 'response');
  assert.equal(encrypted.resume().statusCode, 200);
});

test('the kernel does not collect bytes for a client that does not read', async (t) => {
  const chunk = Buffer.alloc(16_384);
  /** @param {number} unsentBytes @returns {Promise<number>} how many chunks the kernel has taken */
  const fill = async (unsentBytes) => {
    const server = createServer({ noDelay: true });
    const port = await listen(t, server);
    limitKernelBuffers(server, 8192, unsentBytes);
    const client = connect({ port, host: '127.0.0.1' });
    const [socket] = await once(server, 'connection');
    socket.on('error', () => {}); // the client resets the connection
    t.after(() => client.destroy());
    let taken = 0;
    for (; socket.writableLength === 0; taken++) {
      socket.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return taken;
  };
  const [unlimited, limited] = [await fill(2 ** 30), await fill(LIMITS.unsentBytes.value)];
  assert.ok(limited < unlimited / 2, `${limited} instead of ${unlimited} chunks`);
});
