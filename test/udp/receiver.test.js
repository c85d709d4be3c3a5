/** The checks of a datagram, its effect on the input slot, the receiver's thread, and the memory that it shares. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { packInput, unpackInput, withGeneration } from '../../app/game/input.js';
import { native } from '../../app/native/native.js';
import { AT } from '../../app/udp/datagram.js';
import { openReceiver } from '../../app/udp/receiver.js';
import { until } from '../support/tv.js';
import { GENERATION, MATCH, SLOT, makeMailbox, open } from './helpers.js';

test('stick, buttons and presses are written into the slot, and nowhere else', async (t) => {
  const udp = await open(t, {});
  const sequence = udp.mailbox.inputSequence(SLOT);
  assert.equal(
    await udp.say({ x: -127, y: 99, buttons: 2, pressesA: 250, pressesB: 7 }),
    'accepted',
  );
  const { x, y, ...rest } = udp.input();
  assert.deepEqual([x * 127, y * 127], [-127, 99]);
  // In a pad's first datagram, only the buttons that are held count as pressed. The slot had counted 3 and 14.
  assert.deepEqual(rest, { buttons: 2, pressesA: 3, pressesB: 15, present: true });
  assert.equal(udp.mailbox.inputSequence(SLOT), sequence + 1);
  const generation = udp.mailbox.readInput(SLOT) & withGeneration(0, 15);
  assert.equal(generation, withGeneration(0, GENERATION));
  for (const slot of [0, 1, 3]) assert.equal(udp.mailbox.readInput(slot), 0);

  await udp.say({ pressesA: 252, pressesB: 7 });
  assert.deepEqual([udp.input().pressesA, udp.input().pressesB], [5, 15]);
  await udp.say({ pressesA: 1, pressesB: 9 }); // the pad's counters wrap around at 256, the slot's at 16
  assert.deepEqual([udp.input().pressesA, udp.input().pressesB], [10, 1]);
  await udp.say({ x: -128 });
  assert.equal(udp.input().x, -1, '-128 counts as -127');
  assert.ok(udp.receiver.silentMs(udp.pad) < 60_000);
});

test('an invalid datagram is dropped, counted by its outcome, and has no effect', async (t) => {
  const udp = await open(t, {});
  await udp.say({ x: 50, sequence: 10 });
  const word = udp.mailbox.readInput(SLOT);
  const good = udp.datagram({ x: 1, sequence: 11 });
  /** @param {number} at @param {number} value */
  const changed = (at, value) => {
    const bytes = Buffer.from(good);
    bytes[at] = value;
    return bytes;
  };
  for (const length of [0, 31, 33, 1400]) {
    assert.equal(await udp.send(Buffer.concat([good], length)), 'size', `${length} bytes`);
  }
  assert.equal(await udp.send(changed(AT.magic, 0)), 'format');
  assert.equal(await udp.send(changed(AT.version, 2)), 'format');
  assert.equal(await udp.send(udp.datagram({ pad: udp.pad + 1 })), 'stranger');
  assert.equal(await udp.send(udp.datagram({ pad: udp.pad + 256 })), 'stranger', 'the same place');
  assert.equal(await udp.send(udp.datagram({ sequence: 11 }, randomBytes(16))), 'mac');
  for (const at of [AT.match, AT.sequence, AT.slot, AT.x, AT.buttons, AT.reserved, AT.mac, 31]) {
    assert.equal(await udp.send(changed(at, good[at] ^ 4)), 'mac', `byte ${at}`);
  }
  assert.equal(await udp.say({ sequence: 10 }), 'replay');
  assert.equal(await udp.say({ sequence: 9 }), 'old');
  assert.equal(await udp.say({ sequence: 0 }), 'old');
  assert.equal(udp.mailbox.readInput(SLOT), word);
  assert.equal(await udp.send(good), 'accepted', 'its sequence number is still unused');
  assert.equal(await udp.send(good), 'replay');
  assert.equal(await udp.say({ sequence: 12, match: MATCH + 1 }), 'seat');
  assert.equal(await udp.say({ sequence: 13, slot: SLOT + 1 }), 'seat');
  assert.equal(await udp.say({ sequence: 2 ** 32 - 1 }), 'accepted');
  assert.equal(await udp.say({ sequence: 1 }), 'old', 'numbers do not wrap around');
});

test('datagrams over the rate limit are dropped until the next second', async (t) => {
  const udp = await open(t, { perSecond: 20 });
  /** @type {string[]} */
  const outcomes = [];
  for (let i = 0; i < 60 && !outcomes.includes('rate'); i++) outcomes.push(await udp.say());
  const accepted = outcomes.filter((outcome) => outcome === 'accepted').length;
  assert.ok(outcomes.includes('rate'), `all ${outcomes.length} were accepted`);
  assert.ok(accepted >= 20 && accepted <= 40, `${accepted} in at most two windows`);
  await until(async () => (await udp.say()) === 'accepted', 'the next second');
});

test('a pad without a seat, without a key or with another key is ignored', async (t) => {
  const udp = await open(t, {});
  await udp.say({ x: 9, pressesA: 5 });
  udp.receiver.unseat(udp.pad);
  assert.equal(await udp.say({ x: 10, pressesA: 8 }), 'seat');
  assert.equal(udp.input().x * 127, 9);
  udp.receiver.seat(udp.pad, udp.seat);
  assert.equal(await udp.say({ x: 11, pressesA: 9 }), 'accepted');
  assert.equal(udp.input().pressesA, 4, 'presses without a seat do not count');
  const other = randomBytes(16);
  udp.receiver.add(udp.pad, other);
  assert.equal(await udp.say({ x: 12 }), 'mac', 'the old key');
  assert.equal(await udp.send(udp.datagram({ sequence: 1 }, other)), 'seat', 'it has no seat');
  udp.receiver.remove(udp.pad);
  assert.equal(await udp.send(udp.datagram({ sequence: 2 }, other)), 'stranger');
  assert.equal(udp.receiver.silentMs(udp.pad), Infinity);
  udp.receiver.remove(udp.pad);
  udp.receiver.unseat(udp.pad);
  udp.receiver.seat(udp.pad, udp.seat); // none of these is an error
});

test('a slot that has another owner is not changed', async (t) => {
  const udp = await open(t, {});
  const others = withGeneration(packInput(1, 2, 0, 0, 0), GENERATION + 1);
  udp.mailbox.writeInput(SLOT, others);
  assert.equal(await udp.say({ x: 99 }), 'seat');
  assert.equal(udp.mailbox.readInput(SLOT), others);
  udp.mailbox.writeInput(SLOT, 0);
  assert.equal(await udp.say({ x: 99 }), 'seat', 'the slot is empty');
  assert.equal(udp.mailbox.readInput(SLOT), 0);
  udp.mailbox.writeInput(SLOT, udp.present);
  assert.equal(await udp.say({ x: 99 }), 'accepted');
});

test('a busy port, a foreign address and an unknown host are errors', async (t) => {
  const udp = await open(t, {});
  const { port } = udp.receiver;
  await assert.rejects(openReceiver({ host: '127.0.0.1', port }), {
    code: 'PITV_PORT_BUSY',
    message: new RegExp(`UDP port ${port}\\. .*--udp`),
  });
  for (const host of ['203.0.113.7', 'no-such-host.invalid']) {
    await assert.rejects(openReceiver({ host }), { code: 'PITV_LISTEN_FAILED' });
  }
});

test('a socket receives both IPv6 and IPv4', async (t) => {
  const probe = createSocket('udp6');
  const there = await new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.bind(0, '::1', () => resolve(true));
  });
  await new Promise((resolve) => probe.close(() => resolve(undefined)));
  if (!there) return t.skip('needs IPv6');
  const udp = await open(t, { host: '::' });
  assert.equal(await udp.say({ x: 4 }), 'accepted');
  const six = createSocket('udp6');
  t.after(() => six.close());
  const before = udp.accepted();
  six.send(udp.datagram({ x: 5 }), udp.receiver.port, '::1');
  await until(() => udp.accepted() > before, 'the datagram over IPv6');
  assert.equal(udp.input().x * 127, 5);
});

test('close() is idempotent, and the counters stay readable', async (t) => {
  const udp = await open(t, {});
  await udp.say();
  await udp.receiver.close();
  await udp.receiver.close();
  assert.equal(udp.accepted(), 1);
});

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
