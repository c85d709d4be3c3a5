/** The receiver's thread, and the memory that it shares with matches. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { native } from '../../app/native/native.js';
import { unpackInput } from '../../app/game/input.js';
import { until } from '../support/tv.js';
import { SLOT, makeMailbox, open } from './helpers.js';

/** Returns how many mappings of createMemory() this process has. */
const mappings = () => readFileSync('/proc/self/maps', 'latin1').split('/memfd:pitv').length - 1;

test('datagrams arrive while the main thread is blocked', async (t) => {
  const udp = await open(t, {});
  const sender = createSocket('udp4');
  t.after(() => sender.close());
  await new Promise((resolve) =>
    sender.connect(udp.receiver.port, '127.0.0.1', () => resolve(undefined)),
  );
  const before = udp.mailbox.inputSequence(SLOT);
  const arrived = () => udp.mailbox.inputSequence(SLOT) > before;
  sender.send(udp.datagram({ x: 42 })); // a connected socket sends within this call
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  const end = performance.now() + 20_000;
  while (!arrived() && performance.now() < end) Atomics.wait(asleep, 0, 0, 5);
  assert.ok(arrived());
  assert.equal(udp.input().x * 127, 42);
});

test('an unmapped mailbox stays mapped for the receiver until the pad is unseated', async (t) => {
  const udp = await open(t, {});
  const { mailbox, unmap } = makeMailbox('mapping');
  mailbox.writeInput(SLOT, udp.present);
  udp.receiver.seat(udp.pad, { ...udp.seat, inputs: mailbox.inputs });
  assert.equal(await udp.say({ x: 77 }), 'accepted');
  assert.equal(unpackInput(mailbox.readInput(SLOT)).x * 127, 77);
  const mapped = mappings();
  assert.ok(mapped > 0);
  mailbox.detach();
  unmap();
  // A TV unseats first, but the opposite order is safe, too.
  assert.equal(await udp.say({ x: 78 }), 'accepted');
  assert.equal(mappings(), mapped, 'held');
  udp.receiver.unseat(udp.pad);
  assert.equal(mappings(), mapped - 1, 'unmapped');
  assert.equal(await udp.say({ x: 79 }), 'seat');
});

test('a mailbox that is unmapped after its pad is unseated or removed is freed', async (t) => {
  const udp = await open(t, {});
  const before = mappings();
  for (let i = 0; i < 20; i++) {
    const { mailbox, unmap } = makeMailbox('mapping');
    mailbox.writeInput(SLOT, udp.present);
    udp.receiver.seat(udp.pad, { ...udp.seat, inputs: mailbox.inputs });
    assert.equal(await udp.say(), 'accepted');
    if (i % 2) udp.receiver.remove(udp.pad);
    else udp.receiver.unseat(udp.pad);
    if (i % 2) udp.receiver.add(udp.pad, udp.key);
    mailbox.detach();
    unmap();
  }
  await until(() => mappings() === before, 'all to be unmapped');
});

test('arguments out of range are errors', () => {
  const addon = native();
  const wrong = { code: 'PITV_NATIVE_ARGUMENT' };
  assert.throws(() => addon.udpOpen('localhost', 0, 0), wrong);
  assert.throws(() => addon.udpOpen('127.0.0.1', 65536, 0), wrong);
  assert.throws(() => addon.udpOpen('127.0.0.1', 0, 60_001), wrong);
  assert.throws(() => addon.udpClose({}), wrong);
  const { receiver } = addon.udpOpen('127.0.0.1', 0, 0);
  const key = new Uint8Array(16);
  assert.throws(() => addon.udpAdd(receiver, 1, key.subarray(1)), wrong);
  assert.throws(() => addon.udpAdd(receiver, -1, key), wrong);
  addon.udpAdd(receiver, 1, key);
  const shared = new Int32Array(new SharedArrayBuffer(32));
  assert.throws(() => addon.udpSeat(receiver, 1, new Int32Array(8), 0, 1, 0), {
    message: /shared memory/,
  });
  assert.throws(() => addon.udpSeat(receiver, 1, shared, 4, 1, 0), wrong);
  assert.throws(() => addon.udpSeat(receiver, 1, shared, 0, 1, 16), wrong);
  assert.equal(addon.udpSeat(receiver, 1, shared, 3, 1, 0), true);
  assert.equal(addon.udpSeat(receiver, 2, shared, 3, 1, 0), false);
  assert.throws(() => addon.udpCounters(receiver, new Uint32Array(3)), wrong);
  addon.udpClose(receiver);
});
