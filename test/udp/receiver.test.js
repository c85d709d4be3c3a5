/** What a datagram has to pass, and what it does then; the addon's threads and Node's socket alike. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { native } from '../../app/engine/native.js';
import { generationOf, packInput, unpackInput, withGeneration } from '../../app/game/input.js';
import { AT, encodeDatagram } from '../../app/udp/datagram.js';
import { OUTCOME } from '../../app/udp/outcomes.js';
import { openReceiver } from '../../app/udp/receiver.js';
import { until } from '../support/tv.js';
import { BACKENDS, GENERATION, MATCH, SLOT, makeMailbox, open } from './helpers.js';

for (const backend of BACKENDS) {
  test(`${backend}: stick, buttons and presses arrive in the slot, and nowhere else`, async (t) => {
    const udp = await open(t, { backend });
    const sequence = udp.mailbox.inputSequence(SLOT);
    assert.equal(
      await udp.say({ x: -127, y: 99, buttons: 2, pressesA: 250, pressesB: 7 }),
      'accepted',
    );
    const { x, y, ...rest } = udp.input();
    assert.deepEqual([x * 127, y * 127], [-127, 99]);
    // Of a pad's first datagram only what is held counts as pressed; the slot counted 3 and 14 so far.
    assert.deepEqual(rest, { buttons: 2, pressesA: 3, pressesB: 15, present: true });
    assert.equal(udp.mailbox.inputSequence(SLOT), sequence + 1);
    assert.equal(generationOf(udp.mailbox.readInput(SLOT)), GENERATION);
    for (const slot of [0, 1, 3]) assert.equal(udp.mailbox.readInput(slot), 0);

    await udp.say({ pressesA: 252, pressesB: 7 });
    assert.deepEqual([udp.input().pressesA, udp.input().pressesB], [5, 15]);
    await udp.say({ pressesA: 1, pressesB: 9 }); // the pad's counters go round at 256, the slot's at 16
    assert.deepEqual([udp.input().pressesA, udp.input().pressesB], [10, 1]);
    await udp.send(rewritten(udp, (bytes) => bytes.writeInt8(-128, AT.x)));
    assert.equal(udp.input().x, -1, '-128 is taken for -127');
    assert.ok(udp.receiver.heard(udp.pad) < 60_000);
  });

  test(`${backend}: every datagram that is not right is dropped, counted by its name, and does nothing`, async (t) => {
    const udp = await open(t, { backend });
    await udp.say({ x: 50, sequence: 10 });
    const word = udp.mailbox.readInput(SLOT);
    const heardBefore = udp.receiver.heard(udp.pad);
    const good = udp.datagram({ x: 1, sequence: 11 });
    /** @param {number} at @param {number} value */
    const changed = (at, value) => {
      const bytes = Buffer.from(good);
      bytes[at] = value;
      return bytes;
    };
    assert.equal(await udp.send(good.subarray(0, 31)), 'size');
    assert.equal(await udp.send(Buffer.concat([good, Buffer.alloc(1)])), 'size');
    assert.equal(await udp.send(Buffer.alloc(1400)), 'size');
    assert.equal(await udp.send(Buffer.alloc(0)), 'size');
    assert.equal(await udp.send(changed(AT.magic, 0)), 'format');
    assert.equal(await udp.send(changed(AT.version, 2)), 'format');
    assert.equal(await udp.send(udp.datagram({ pad: udp.pad + 1 })), 'stranger');
    assert.equal(
      await udp.send(udp.datagram({ pad: udp.pad + 256 })),
      'stranger',
      'the same place',
    );
    assert.equal(await udp.send(udp.datagram({ sequence: 11 }, randomBytes(16))), 'mac');
    for (const at of [
      AT.match,
      AT.sequence,
      AT.slot,
      AT.x,
      AT.buttons,
      AT.pressesA,
      AT.reserved,
      AT.mac,
      31,
    ]) {
      assert.equal(await udp.send(changed(at, good[at] ^ 4)), 'mac', `byte ${at}`);
    }
    assert.equal(await udp.say({ sequence: 10 }), 'replay');
    assert.equal(await udp.say({ sequence: 9 }), 'old');
    assert.equal(await udp.say({ sequence: 0 }), 'old');
    assert.equal(udp.mailbox.readInput(SLOT), word);
    assert.equal(await udp.send(good), 'accepted', 'none of these has used its sequence number up');
    assert.equal(await udp.send(good), 'replay');
    assert.equal(await udp.say({ sequence: 12, match: MATCH + 1 }), 'seat');
    assert.equal(await udp.say({ sequence: 13, slot: SLOT + 1 }), 'seat');
    assert.equal(await udp.say({ sequence: 2 ** 32 - 1 }), 'accepted');
    assert.equal(await udp.say({ sequence: 1 }), 'old', 'numbers do not go round');
    assert.ok(Number.isFinite(heardBefore));
  });

  test(`${backend}: a pad sends no more than it may, and is heard again later`, async (t) => {
    const udp = await open(t, { backend, perSecond: 20 });
    /** @type {string[]} */
    const outcomes = [];
    for (let i = 0; i < 60 && !outcomes.includes('rate'); i++) outcomes.push(await udp.say());
    const accepted = outcomes.filter((outcome) => outcome === 'accepted').length;
    assert.ok(outcomes.includes('rate'), `all of ${outcomes.length} were taken`);
    assert.ok(accepted >= 20 && accepted <= 40, `${accepted} in two windows at most`);
    await until(async () => (await udp.say()) === 'accepted', 'the next second');
  });

  test(`${backend}: who has no seat, no key any more, or another key, is not heard`, async (t) => {
    const udp = await open(t, { backend });
    await udp.say({ x: 9, pressesA: 5 });
    udp.receiver.unseat(udp.pad);
    assert.equal(await udp.say({ x: 10, pressesA: 8 }), 'seat');
    assert.equal(udp.input().x * 127, 9);
    udp.receiver.seat(udp.pad, udp.seat);
    assert.equal(await udp.say({ x: 11, pressesA: 9 }), 'accepted');
    assert.equal(udp.input().pressesA, 4, 'of what was pressed meanwhile only the newest counts');
    const other = randomBytes(16);
    udp.receiver.add(udp.pad, other);
    assert.equal(await udp.say({ x: 12 }), 'mac', 'the old key');
    assert.equal(
      await udp.send(udp.datagram({ sequence: 1 }, other)),
      'seat',
      'a new one sits nowhere',
    );
    udp.receiver.remove(udp.pad);
    assert.equal(await udp.send(udp.datagram({ sequence: 2 }, other)), 'stranger');
    assert.equal(udp.receiver.heard(udp.pad), Infinity);
    udp.receiver.remove(udp.pad);
    udp.receiver.unseat(udp.pad);
    udp.receiver.seat(udp.pad, udp.seat); // none of these is an error
  });

  test(`${backend}: a slot that has changed hands is left alone`, async (t) => {
    const udp = await open(t, { backend });
    const others = withGeneration(packInput(1, 2, 0, 0, 0), GENERATION + 1);
    udp.mailbox.writeInput(SLOT, others);
    assert.equal(await udp.say({ x: 99 }), 'seat');
    assert.equal(udp.mailbox.readInput(SLOT), others);
    udp.mailbox.writeInput(SLOT, 0);
    assert.equal(await udp.say({ x: 99 }), 'seat', 'nobody is there');
    assert.equal(udp.mailbox.readInput(SLOT), 0);
    udp.mailbox.writeInput(SLOT, udp.present);
    assert.equal(await udp.say({ x: 99 }), 'accepted');
  });

  test(`${backend}: a busy port, and an address that is not here, are said`, async (t) => {
    const udp = await open(t, { backend });
    const { port } = udp.receiver;
    await assert.rejects(openReceiver({ host: '127.0.0.1', port, backend }), {
      code: 'PITV_PORT_BUSY',
      message: new RegExp(`UDP port ${port} .*--udp`),
    });
    await assert.rejects(openReceiver({ host: '203.0.113.7', backend }), {
      code: 'PITV_LISTEN_FAILED',
    });
    await assert.rejects(openReceiver({ host: 'no-such-host.invalid', backend }), {
      code: 'PITV_LISTEN_FAILED',
    });
  });

  test(`${backend}: IPv6 and IPv4 come to the same socket`, async (t) => {
    const probe = createSocket('udp6');
    const there = await new Promise((resolve) => {
      probe.once('error', () => resolve(false));
      probe.bind(0, '::1', () => resolve(true));
    });
    await new Promise((resolve) => probe.close(() => resolve(undefined)));
    if (!there) return t.skip('no IPv6 here');
    const udp = await open(t, { backend, host: '::' });
    assert.equal(await udp.say({ x: 4 }), 'accepted');
    const six = createSocket('udp6');
    t.after(() => six.close());
    const before = udp.sums()[OUTCOME.accepted];
    six.send(udp.datagram({ x: 5 }), udp.receiver.port, '::1');
    await until(() => udp.sums()[OUTCOME.accepted] > before, 'the datagram over IPv6');
    assert.equal(udp.input().x * 127, 5);
  });

  test(`${backend}: closed twice is closed; the counters stay`, async (t) => {
    const udp = await open(t, { backend });
    await udp.say();
    await udp.receiver.close();
    await udp.receiver.close();
    assert.equal(udp.sums()[OUTCOME.accepted], 1);
  });
}

test('addon: the main thread does not see datagrams: while it stands still, they arrive', async (t) => {
  for (const backend of BACKENDS) {
    const udp = await open(t, { backend });
    const sender = createSocket('udp4');
    t.after(() => sender.close());
    await new Promise((resolve) =>
      sender.connect(udp.receiver.port, '127.0.0.1', () => resolve(undefined)),
    );
    const before = udp.mailbox.inputSequence(SLOT);
    const arrived = () => udp.mailbox.inputSequence(SLOT) > before;
    sender.send(udp.datagram({ x: 42 })); // connected: it goes out within this call
    const asleep = new Int32Array(new SharedArrayBuffer(4));
    const end = performance.now() + (backend === 'addon' ? 20_000 : 300);
    while (!arrived() && performance.now() < end) Atomics.wait(asleep, 0, 0, 5);
    assert.equal(arrived(), backend === 'addon', backend);
    await until(arrived, 'the datagram');
    assert.equal(udp.input().x * 127, 42);
  }
});

test('addon: a port is refused even if its owner would share it, and shared among receivers', async (t) => {
  const four = await open(t, { backend: 'addon', receivers: 4, perSecond: 0 });
  const { port } = four.receiver;
  const taken = { code: 'PITV_PORT_BUSY' };
  await assert.rejects(openReceiver({ host: '127.0.0.1', port, receivers: 1 }), taken);
  await assert.rejects(openReceiver({ host: '127.0.0.1', port, receivers: 4 }), taken);
  // Senders are spread by their ports: with many of them no receiver is idle.
  const sockets = Array.from({ length: 64 }, () => createSocket('udp4'));
  t.after(() => sockets.forEach((socket) => socket.close()));
  for (const socket of sockets) socket.send(four.datagram(), port, '127.0.0.1');
  await until(() => four.total() >= sockets.length, 'all datagrams');
  const each = four.receiver.counters().map(({ outcomes }) => outcomes.reduce((a, b) => a + b, 0));
  assert.equal(each.length, 4);
  assert.ok(Math.min(...each) > 0, `datagrams by receiver: ${each}`);
});

test('addon: pinned receivers work, whatever the number of CPUs', async (t) => {
  const udp = await open(t, { backend: 'addon', receivers: 3, pin: true });
  assert.equal(await udp.say({ x: 3 }), 'accepted');
});

test('addon: a mailbox that is unmapped stays whole for a receiver until the pad is unseated', async (t) => {
  const udp = await open(t, { backend: 'addon' });
  const { mailbox, unmap } = makeMailbox('mapping');
  mailbox.writeInput(SLOT, udp.present);
  udp.receiver.seat(udp.pad, { ...udp.seat, inputs: mailbox.inputs });
  assert.equal(await udp.say({ x: 77 }), 'accepted');
  assert.equal(unpackInput(mailbox.readInput(SLOT)).x * 127, 77);
  const mapped = mappings();
  assert.ok(mapped > 0);
  mailbox.leave();
  unmap();
  // A TV unseats first; without that it would still do no harm.
  assert.equal(await udp.say({ x: 78 }), 'accepted');
  assert.equal(mappings(), mapped, 'it is held');
  udp.receiver.unseat(udp.pad);
  assert.equal(await udp.say({ x: 79 }), 'seat');
  udp.receiver.heard(udp.pad); // each call gives back what no receiver uses any more
  assert.equal(mappings(), mapped - 1, 'and then given back');
});

test('addon: a mailbox that is unmapped after its pad has gone is gone at once', async (t) => {
  const udp = await open(t, { backend: 'addon' });
  const before = mappings();
  for (let i = 0; i < 20; i++) {
    const { mailbox, unmap } = makeMailbox('mapping');
    mailbox.writeInput(SLOT, udp.present);
    udp.receiver.seat(udp.pad, { ...udp.seat, inputs: mailbox.inputs });
    assert.equal(await udp.say(), 'accepted');
    if (i % 2) udp.receiver.remove(udp.pad);
    else udp.receiver.unseat(udp.pad);
    if (i % 2) udp.receiver.add(udp.pad, udp.key);
    mailbox.leave();
    unmap();
  }
  await until(
    () => udp.receiver.heard(udp.pad) && mappings() === before,
    'all memory to be given back',
  );
});

test('addon: matches come and go under a rain of datagrams', async (t) => {
  const udp = await open(t, { backend: 'addon', receivers: 2, perSecond: 0 });
  let raining = true;
  const rain = (async () => {
    while (raining) {
      for (let i = 0; i < 50; i++) {
        const bytes = udp.datagram({ x: 1, buttons: 1, pressesA: i });
        udp.socket.send(bytes, udp.receiver.port, '127.0.0.1');
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const { accepted } = OUTCOME;
  for (let i = 0; i < 60; i++) {
    const { mailbox, unmap } = makeMailbox(i % 2 ? 'mapping' : 'shared array buffer');
    mailbox.writeInput(SLOT, withGeneration(packInput(0, 0, 0, 0, 0), i));
    const before = udp.sums()[accepted];
    const generation = i & 15;
    udp.receiver.seat(udp.pad, { ...udp.seat, inputs: mailbox.inputs, generation });
    await until(() => udp.sums()[accepted] > before, 'a datagram that is accepted');
    udp.receiver.unseat(udp.pad);
    const mine = withGeneration(packInput(0, 0, 0, 0, 0), i + 1);
    mailbox.writeInput(SLOT, mine);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(mailbox.readInput(SLOT), mine, 'the slot was taken back for good');
    mailbox.leave();
    unmap();
  }
  raining = false;
  await rain;
});

test('addon: what is out of range is refused', () => {
  const addon = /** @type {import('../../app/udp/addon-receiver.js').NativeUdp} */ (
    /** @type {unknown} */ (native())
  );
  const wrong = { code: 'PITV_NATIVE_ARGUMENT' };
  assert.throws(() => addon.udpOpen('localhost', 0, 1, false, 0, 0), wrong);
  assert.throws(() => addon.udpOpen('127.0.0.1', 65536, 1, false, 0, 0), wrong);
  assert.throws(() => addon.udpOpen('127.0.0.1', 0, 0, false, 0, 0), wrong);
  assert.throws(() => addon.udpOpen('127.0.0.1', 0, 17, false, 0, 0), wrong);
  assert.throws(() => addon.udpOpen('127.0.0.1', 0, 1, false, 60_001, 0), wrong);
  assert.throws(() => addon.udpClose({}), wrong);
  const { receivers } = addon.udpOpen('127.0.0.1', 0, 1, false, 0, 0);
  const key = new Uint8Array(16);
  assert.throws(() => addon.udpAdd(receivers, 1, key.subarray(1)), wrong);
  assert.throws(() => addon.udpAdd(receivers, -1, key), wrong);
  addon.udpAdd(receivers, 1, key);
  const shared = new Int32Array(new SharedArrayBuffer(32));
  assert.throws(() => addon.udpSeat(receivers, 1, new Int32Array(8), 0, 1, 0), {
    message: /shared memory/,
  });
  assert.throws(() => addon.udpSeat(receivers, 1, shared, 4, 1, 0), wrong);
  assert.throws(() => addon.udpSeat(receivers, 1, shared, 0, 1, 16), wrong);
  assert.equal(addon.udpSeat(receivers, 1, shared, 3, 1, 0), true);
  assert.equal(addon.udpSeat(receivers, 2, shared, 3, 1, 0), false);
  assert.throws(() => addon.udpCounters(receivers, new Uint32Array(3)), wrong);
  addon.udpClose(receivers);
});

/** How much of createMemory() is mapped here. */
const mappings = () => readFileSync('/proc/self/maps', 'latin1').split('/memfd:pitv').length - 1;

/** @param {Awaited<ReturnType<typeof open>>} udp @param {(bytes: Buffer) => void} change before it is signed */
function rewritten(udp, change) {
  const bytes = udp.datagram();
  change(bytes);
  const input = {
    match: MATCH,
    pad: udp.pad,
    sequence: bytes.readUInt32LE(AT.sequence),
    slot: SLOT,
  };
  const rest = { x: bytes.readInt8(AT.x), y: 0, buttons: 0, pressesA: 0, pressesB: 0 };
  return encodeDatagram({ ...input, ...rest }, udp.key);
}
