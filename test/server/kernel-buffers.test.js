/** Tests the limits on the kernel's buffers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { get as getTls } from 'node:https';
import { connect, createServer } from 'node:net';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { limitKernelBuffers } from '../../app/server/sockets.js';
import { makeCertificate } from '../support/certificate.js';
import { Client, faultyGame, startTv, temporaryFolder } from '../support/tv.js';

const SENT_BYTES = 1_000_000;
const games = [faultyGame];
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
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  limitKernelBuffers(server, bytes, 1);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const socket = connect({ port, host: '127.0.0.1' }).resume();
  socket.end(Buffer.alloc(SENT_BYTES));
  await once(socket, 'close');
  assert.equal(received, SENT_BYTES);
  assert.ok(most <= 2 * bytes, `${most} bytes at once`);
});

test('requests with large cookies are answered, with and without TLS', async (t) => {
  const tv = await startTv(t, { games });
  const [plain] = await once(get(`${tv.url}/pad`, { headers: { cookie } }), 'response');
  assert.equal(plain.resume().statusCode, 200);
  const { cert, key, pem: ca } = await makeCertificate(temporaryFolder(), 'tv');
  const secure = await startTv(t, { games, args: ['--tls-cert', cert, '--tls-key', key] });
  const request = getTls(`${secure.url}/pad`, { ca, headers: { cookie } });
  const [encrypted] = await once(request, 'response');
  assert.equal(encrypted.resume().statusCode, 200);
});

test('a burst of one second of inputs is received completely', async (t) => {
  const tv = await startTv(t, { games });
  const pad = await Client.pad(tv);
  for (let i = 0; i < 120; i++) pad.input(i % 100, 0);
  await pad.settle();
  const text = await (await fetch(`${tv.url}/metrics`)).text();
  const received = Number(/pitv_messages_received_total (\d+)/.exec(text)?.[1]);
  assert.equal(received, 122); // hello and ping
});

test('the kernel does not collect bytes for a client that does not read', async (t) => {
  const chunk = Buffer.alloc(16_384);
  /** @param {number} unsentBytes @returns {Promise<number>} how many chunks the kernel has taken */
  const fill = async (unsentBytes) => {
    const server = createServer({ noDelay: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => server.close());
    limitKernelBuffers(server, 8192, unsentBytes);
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
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
