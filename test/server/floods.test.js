/** Tests that clients that flood with control frames or fragments are disconnected. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { OPCODE, closed, frame, openRawWebSocket } from '../support/wire.js';
import { Client, faultyGame, metricsOf, startTv, until } from '../support/tv.js';

const games = [faultyGame];

/** @param {import('../../app/tv.js').Tv} tv @param {string} kind */
const dropped = async (tv, kind) =>
  (await metricsOf(tv)).get(`pitv_messages_dropped_total{kind="${kind}"}`) ?? 0;

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

test('a frame that arrives byte by byte is accepted', async (t) => {
  const tv = await startTv(t, { games });
  const client = await Client.pad(tv);
  const raw = /** @type {any} */ (client.socket)._socket;
  raw.setNoDelay();
  for (const byte of frame(OPCODE.text, JSON.stringify({ t: 'ping', at: 7 }))) {
    raw.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  assert.equal((await client.next('pong')).at, 7);
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
