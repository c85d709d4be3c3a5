import assert from 'node:assert/strict';
import test from 'node:test';
import { Mailbox, mailboxBytes } from '../../app/engine/mailbox/mailbox.js';
import { HeapMeter, Ticker, Warnings } from '../../app/engine/worker/ticker.js';
import {
  QUICK_ENGINES,
  countSizes as sizes,
  engineTests,
  jobUrl,
  recorder,
  until,
} from './helpers.js';

for (const name of QUICK_ENGINES) {
  const { log, warnings, abouts } = recorder();
  const testLog = engineTests(name, { log });
  testLog(`${name}: the log has the first warning of a job`, async (engine) => {
    const worker = await engine.start(jobUrl('faulty'), {
      name: 'sour',
      sizes,
      options: { warns: true },
    });
    /** @type {string[]} */
    const emitted = [];
    worker.on('warning', (sentence) => emitted.push(sentence));
    await until(() => worker.mailbox.tick > 5 && emitted.length > 0, 'it warns');
    await worker.stop();
    assert.deepEqual(warnings, ['tick 1 is bad']);
    assert.equal(abouts[0].name, 'sour');
    assert.deepEqual(emitted, ['tick 1 is bad']);
  });
}

/**
 * @param {boolean} all
 * @returns {(tick: number, ms: number, warning?: string, garbage?: number) => string[]} what is reported
 */
function check(all) {
  /** @type {string[]} */
  const sentences = [];
  const warnings = new Warnings((sentence) => sentences.push(sentence), { tickHz: 60 }, all);
  return (tick, ms, warning, garbage) => {
    warnings.check(/** @type {any} */ ({ takeWarning: () => warning }), tick, ms, garbage);
    return sentences.splice(0);
  };
}

test('in development all warnings and the first slow tick are reported', () => {
  const step = check(true);
  for (let tick = 501; tick <= 560; tick++) {
    assert.deepEqual(step(tick, 900), [], 'its code is not compiled yet');
  }
  assert.deepEqual(step(561, 16, 'one'), ['one']);
  assert.deepEqual(step(562, 17, 'two'), [
    'two',
    'Tick 562 took 17.0 ms; a tick has 16.7 ms. Later slow ticks are not reported.',
  ]);
  assert.deepEqual(step(563, 99), []);
});

test('a tick is slow if it computes, not if other programs take the time', () => {
  /** @type {number[]} */
  const noted = [];
  const warnings = { all: true, check: (/** @type {any} */ ...args) => noted.push(args[2]) };
  const mailboxSizes = { inputSlots: 0, frameBytes: 0, checkpointBytes: 0 };
  const mailbox = Mailbox.create(new ArrayBuffer(mailboxBytes(mailboxSizes)), mailboxSizes);
  const tick = (/** @type {() => void} */ step) => {
    const job = /** @type {any} */ ({ step });
    new Ticker(job, { checkpointTicks: 1000 }, mailbox, /** @type {any} */ (warnings)).tick();
  };
  const cpuMs = () => process.cpuUsage().user / 1000;
  const ms = 300;
  tick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms));
  tick(() => {
    for (const until = cpuMs() + ms; cpuMs() < until;);
  });
  const [waiting, computing] = noted;
  assert.ok(waiting < ms / 3 && computing > ms / 2, `${waiting} ms and ${computing} ms`);
});

test('outside development there is one warning per worker', () => {
  const step = check(false);
  assert.deepEqual(step(100, 99, 'one'), ['one']);
  assert.deepEqual(step(101, 99, 'two'), []);
});

test('in development garbage is reported once, if the ticks of a second leave much on average', () => {
  const step = check(true);
  let tick = 500;
  const second = (/** @type {number} */ kib) =>
    Array.from({ length: 60 }, () => step(++tick, 1, undefined, kib * 1024)).flat();
  for (let i = 0; i < 20; i++) assert.deepEqual(second(90), [], 'its code is not optimised yet');
  assert.deepEqual(second(15), []);
  assert.deepEqual(step(tick, 1, undefined, -1), [], 'the collector ran');
  const [sentence, ...others] = second(20);
  assert.match(sentence, /^Tick 1820: the ticks of the last second left 20\.0 KiB of garbage/);
  assert.deepEqual([...others, ...second(90)], []);
});

test('a tick allocates what the heap meter says', () => {
  const meter = new HeapMeter();
  /** @type {object[]} */
  const kept = [];
  const measure = (/** @type {number} */ count) => {
    let bytes = -1;
    while (bytes < 0) {
      meter.begin();
      for (let i = 0; i < count; i++) kept.push({ i });
      bytes = meter.end();
    }
    return bytes;
  };
  measure(10_000); // compiled, and the array has grown
  kept.length = 0;
  const least = Math.min(...Array.from({ length: 5 }, () => measure(1000)));
  assert.ok(least >= 1000 * 12, `${least} bytes for 1000 objects`);
  assert.ok(Math.min(...Array.from({ length: 5 }, () => measure(0))) < 200);
});
