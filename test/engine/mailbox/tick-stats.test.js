import assert from 'node:assert/strict';
import test from 'node:test';
import { Mailbox, mailboxBytes } from '../../../app/engine/mailbox/mailbox.js';
import { TICK_BUCKET_MICROS } from '../../../app/engine/mailbox/tick-stats.js';

const sizes = {
  inputSlots: 2,
  frameBytes: 64,
  checkpointBytes: 64,
  tickStats: 1,
};

/** @returns {[Mailbox, Mailbox]} the main thread's side and the worker's */
function makeMailbox() {
  const memory = new ArrayBuffer(mailboxBytes(sizes));
  return [Mailbox.create(memory, sizes), Mailbox.attach(memory)];
}

test('the main thread reads the ticks since its last reading', () => {
  const [here, there] = makeMailbox();
  assert.ok(here.tickStats && there.tickStats);
  for (const micros of [0, 3, 4, 100, 1e9]) there.tickStats.add(micros, 40, 700);
  there.tickStats.add(100, 48, -1);
  there.tickStats.setWorld(12, 5);
  const { counts, ...rest } = here.tickStats.take();
  assert.equal(counts.length, TICK_BUCKET_MICROS.length);
  assert.deepEqual([counts[0], counts.at(-1)], [3, 1]);
  const bucket = TICK_BUCKET_MICROS.findLastIndex((micros) => micros <= 100);
  assert.equal(counts[bucket], 2);
  assert.deepEqual(rest, {
    bodies: 12,
    contacts: 5,
    frameBytes: 48,
    garbageBytes: 3500,
    garbageTicks: 5,
  });
  there.tickStats.add(100, 44, 1000);
  const next = here.tickStats.take();
  const total = next.counts.reduce((sum, count) => sum + count, 0);
  assert.equal(total, 1);
  assert.deepEqual([next.garbageBytes, next.garbageTicks, next.frameBytes], [1000, 1, 44]);
});

test('a broken worker writes numbers that are read as such', () => {
  const [here] = makeMailbox();
  const words = new Int32Array(here.header.buffer);
  words.fill(-1, words.length - 40);
  for (const value of Object.values(here.tickStats?.take() ?? {}).flat()) {
    assert.ok(Number.isSafeInteger(value) && value >= 0, String(value));
  }
});

test('a mailbox has room for statistics only if it is asked for', () => {
  const plain = { ...sizes, tickStats: 0 };
  const mailbox = Mailbox.create(new ArrayBuffer(mailboxBytes(plain)), plain);
  assert.equal(mailbox.tickStats, undefined);
  assert.ok(mailboxBytes(plain) < mailboxBytes(sizes));
  assert.throws(() => mailboxBytes({ ...sizes, tickStats: 2 }), { code: 'PITV_MAILBOX_SIZE' });
});
