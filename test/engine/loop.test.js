/** When the ticks of a job run, with a clock of its own. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { CONTROL, Mailbox, mailboxBytes } from '../../app/engine/mailbox/mailbox.js';
import { Loop } from '../../app/engine/worker/loop.js';

const TICK_MS = 10;

/** A clock that the test moves, with the timers that a loop uses. */
class Clock {
  now = 0;
  /** @type {Set<{at: number, run: () => void}>} */
  #timers = new Set();

  /** @param {import('node:test').TestContext} t */
  constructor(t) {
    t.mock.method(performance, 'now', () => this.now);
    t.mock.method(globalThis, 'setTimeout', this.#setTimeout);
    t.mock.method(globalThis, 'setImmediate', (/** @type {any} */ run, /** @type {any} */ value) =>
      this.#setTimeout(run, 0, value),
    );
  }

  #setTimeout = (/** @type {any} */ run, /** @type {number} */ ms, /** @type {any} */ value) => {
    const timer = {
      at: this.now + ms,
      run: () => run(value),
      refresh: () => {
        timer.at = this.now + ms;
        this.#timers.add(timer);
      },
    };
    this.#timers.add(timer);
    return timer;
  };

  /** Lets time pass. @param {number} ms */
  pass(ms) {
    const end = this.now + ms;
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      this.#timers.delete(next);
      this.now = Math.max(this.now, next.at);
      next.run();
    }
    this.now = Math.max(this.now, end);
  }
}

/** @param {import('node:test').TestContext} t @param {number} [tickMs] */
function start(t, tickMs = TICK_MS) {
  const clock = new Clock(t);
  const sizes = { inputSlots: 0, frameBytes: 0, checkpointBytes: 0 };
  const mailbox = Mailbox.create(new ArrayBuffer(mailboxBytes(sizes)), sizes);
  const job = { steps: 0, stallMs: 0, step() {} };
  job.step = () => {
    job.steps++;
    clock.now += job.stallMs;
    job.stallMs = 0;
  };
  const task = { tickHz: 1000 / tickMs, checkpointTicks: 1000 };
  const counts = { trims: 0 };
  const trim = () => void counts.trims++;
  const loop = new Loop(
    /** @type {any} */ (job),
    /** @type {any} */ (task),
    mailbox,
    undefined,
    trim,
  );
  return { clock, mailbox, job, counts, end: loop.run() };
}

test('memory that is free is returned to the system once in 600 ticks', (t) => {
  const { clock, counts } = start(t);
  clock.pass(1801 * TICK_MS);
  assert.equal(counts.trims, 3);
});

test('a short stall is made up for, a long one only in part', (t) => {
  const { clock, mailbox, job } = start(t);
  clock.pass(100);
  assert.equal(job.steps, 10);
  job.stallMs = 3 * TICK_MS;
  clock.pass(100);
  assert.equal(job.steps, 20, 'the rate is kept');
  const late = mailbox.lateTicks;
  assert.ok(late > 0);
  assert.equal(mailbox.takeStepMicrosMax(), 3 * TICK_MS * 1000);
  job.stallMs = 20 * TICK_MS;
  clock.pass(300);
  assert.equal(job.steps, 20 + 30 - 16, 'four ticks in a row at most');
  assert.ok(mailbox.lateTicks > late);
});

test('after a pause no ticks are made up for, and the next worker is paused, too', async (t) => {
  const { clock, mailbox, job, end } = start(t);
  clock.pass(50);
  mailbox.pause(true);
  clock.pass(1000);
  assert.equal(job.steps, 5);
  mailbox.resetWriter();
  clock.pass(1000);
  assert.equal(job.steps, 5, 'the next worker is paused, too');
  mailbox.pause(false);
  clock.pass(50);
  assert.equal(job.steps, 10);
  assert.equal(mailbox.lateTicks, 0);
  mailbox.pause(true);
  mailbox.control = CONTROL.stop;
  clock.pass(TICK_MS);
  assert.equal(await end, 'stopped');
});

test('a job with a tick a second keeps its rate, and stops between two ticks', async (t) => {
  const { clock, mailbox, job, end } = start(t, 1000);
  clock.pass(3000);
  assert.equal(job.steps, 3);
  mailbox.control = CONTROL.stop;
  clock.pass(100);
  assert.equal(await end, 'stopped');
  assert.deepEqual([job.steps, mailbox.lateTicks], [3, 0]);
});
