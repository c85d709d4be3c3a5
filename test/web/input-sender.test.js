import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PadState } from '../../app/server/messages.js';
import { InputSender, REPEAT_INTERVAL_MS, packPadInput } from '../../app/web/lib/input-sender.js';

/**
 * Creates a sender with a simulated clock; `sent` lists what the server reads.
 * @param {import('node:test').TestContext} t
 */
function createSender(t) {
  const line = { up: true };
  let nowMs = 0;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => nowMs);
  const server = new PadState();
  /** @type {{atMs: number, x: number, y: number, buttons: number, tapsA: number, tapsB: number}[]} */
  const sent = [];
  const sender = new InputSender((bytes) => {
    if (!line.up) return false;
    assert.ok(server.read(Buffer.from(bytes)));
    const { x, y, buttons } = server;
    const [tapsA, tapsB] = server.takeTaps();
    sent.push({ atMs: nowMs, x, y, buttons, tapsA, tapsB });
    return true;
  });
  /** @param {number} toMs */
  function advance(toMs) {
    for (; nowMs < toMs; t.mock.timers.tick(1)) nowMs++;
  }
  return { sender, sent, advance, line };
}

test('a message has eight bytes, from which the server reads the axes', () => {
  const bytes = packPadInput({ x: -127, y: 64, buttons: 3, pressesA: 257, pressesB: 5 }, 0x12345);
  assert.deepEqual([...bytes], [1, 129, 64, 3, 1, 5, 0x45, 0x23]);
  const axis = fc.integer({ min: -127, max: 127 });
  fc.assert(
    fc.property(axis, axis, (x, y) => {
      const state = new PadState();
      state.read(Buffer.from(packPadInput({ x, y, buttons: 0, pressesA: 0, pressesB: 0 }, 1)));
      assert.deepEqual([state.x, state.y], [x, y]);
    }),
  );
});

test('a change is sent at once, an unchanged state is not sent', (t) => {
  const { sender, sent, advance } = createSender(t);
  for (let i = 0; i < 100; i++) sender.update(10, 20, 0);
  advance(100);
  assert.deepEqual(sent, [{ atMs: 0, x: 10, y: 20, buttons: 0, tapsA: 0, tapsB: 0 }]);
});

for (const perSecond of [120, 20]) {
  test(`fast changes are sent at most ${perSecond} times per second, the last one always`, (t) => {
    const { sender, sent, advance } = createSender(t);
    sender.intervalMs = 1000 / perSecond;
    for (let ms = 0; ms < 1000; ms++) {
      advance(ms);
      sender.update((ms % 127) + 1, 0, 0);
    }
    advance(1100);
    assert.ok(sent.length <= perSecond + 2, `${sent.length} messages`);
    assert.ok(sent.length >= 0.8 * perSecond, `${sent.length} messages`);
    for (let i = 1; i < sent.length; i++) {
      assert.ok(sent[i].atMs - sent[i - 1].atMs >= sender.intervalMs - 1e-9);
    }
    assert.equal(sent[sent.length - 1].x, (999 % 127) + 1);
  });
}

test('held input is repeated every 250 ms, released input is not', (t) => {
  const { sender, sent, advance } = createSender(t);
  sender.update(100, 0, 0);
  advance(1000);
  assert.equal(sent.length, 1 + Math.floor(1000 / REPEAT_INTERVAL_MS));
  sender.release();
  advance(3000);
  assert.equal(sent.length, 6);
  assert.equal(sent[5].x, 0);
});

test('taps shorter than the interval all count, and a held button counts once', (t) => {
  const { sender, sent, advance } = createSender(t);
  sender.update(1, 0, 0);
  for (let tap = 0; tap < 3; tap++) {
    sender.update(1, 0, 1);
    sender.update(1, 0, 0);
  }
  sender.update(1, 0, 2);
  advance(20);
  sender.update(50, 0, 2);
  advance(40);
  const taps = sent.reduce((sum, { tapsA, tapsB }) => sum + 10 * tapsA + tapsB, 0);
  assert.equal(taps, 31);
});

test('input and a release are sent late if the connection was lost', (t) => {
  const { sender, sent, advance, line } = createSender(t);
  line.up = false;
  sender.update(100, 0, 1);
  advance(500);
  assert.equal(sent.length, 0);
  sender.update(0, -50, 0);
  line.up = true;
  advance(600);
  assert.equal(sent[0].y, -50);
  line.up = false;
  sender.release();
  advance(700);
  assert.equal(sent.length, 1);
  line.up = true;
  advance(800);
  assert.deepEqual([sent.length, sent[1].x, sent[1].y, sent[1].buttons], [2, 0, 0, 0]);
});
