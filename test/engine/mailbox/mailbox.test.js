import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CONTROL, Mailbox, STATE, mailboxBytes } from '../../../app/engine/mailbox/mailbox.js';
import { HEADER, viewsOf } from '../../../app/engine/mailbox/layout.js';
import { TICK_BUCKET_MICROS } from '../../../app/engine/mailbox/tick-stats.js';

const sizes = { inputSlots: 3, frameBytes: 100, checkpointBytes: 50 };

/** Makes both sides of one mailbox. */
function pair(given = sizes) {
  const memory = new SharedArrayBuffer(mailboxBytes(given));
  const main = Mailbox.create(memory, given);
  return { memory, main, worker: Mailbox.attach(memory), views: viewsOf(memory, given) };
}

/** @param {Mailbox} worker @param {number} value @param {number} length */
function writeFrame(worker, value, length = 8) {
  worker.frameTarget.fill(value);
  worker.publishFrame(length, value);
}

/** @param {Mailbox} worker @param {number} value @param {number} length */
function writeCheckpoint(worker, value, length = 8) {
  worker.checkpointTarget.fill(value);
  worker.publishCheckpoint(length, value);
}

describe('mailbox', () => {
  test('sizes out of range are refused', () => {
    for (const wrong of [-1, 1.5, NaN, Infinity, 2 ** 27, '5', undefined]) {
      for (const name of Object.keys(sizes)) {
        const given = { ...sizes, [name]: wrong };
        assert.throws(() => mailboxBytes(/** @type {any} */ (given)), {
          code: 'PITV_MAILBOX_SIZE',
        });
      }
    }
    assert.throws(() => new Mailbox(new ArrayBuffer(64), sizes), { code: 'PITV_MAILBOX_SIZE' });
  });

  test('attach() refuses memory without a mailbox', () => {
    const memory = new ArrayBuffer(mailboxBytes(sizes));
    assert.throws(() => Mailbox.attach(memory), { code: 'PITV_MAILBOX_INVALID' });
  });

  test('the parts do not overlap, for any sizes', () => {
    const size = fc.integer({ min: 0, max: 3000 });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 256 }),
        size,
        size,
        (inputSlots, frameBytes, checkpointBytes) => {
          const { views, memory } = pair({ inputSlots, frameBytes, checkpointBytes });
          const slots = [...views.frames, ...views.checkpoints];
          const parts = [
            views.header,
            views.inputs,
            ...slots.flatMap((slot) => [slot.head, slot.body]),
          ];
          const owner = new Int8Array(memory.byteLength).fill(-1);
          for (const [i, part] of parts.entries()) {
            for (let at = part.byteOffset; at < part.byteOffset + part.byteLength; at++) {
              assert.equal(owner[at], -1, `byte ${at} belongs to parts ${owner[at]} and ${i}`);
              owner[at] = i;
            }
          }
          assert.ok(slots.every((slot) => slot.body.byteOffset % 16 === 0));
        },
      ),
    );
  });

  test('each input has a sequence number that counts up', () => {
    const { main, worker } = pair();
    assert.equal(main.writeInput(1, -5), 1);
    assert.equal(main.writeInput(1, 7), 2);
    assert.deepEqual([worker.readInput(1), worker.inputSequence(1)], [7, 2]);
    assert.deepEqual([worker.readInput(0), worker.inputSequence(0)], [0, 0]);
  });

  test('the newest frame is taken once and stays unchanged until the next is taken', () => {
    const { main, worker } = pair();
    assert.equal(main.takeFrame(), undefined);
    assert.equal(main.lastFrame.bytes.length, 0);
    writeFrame(worker, 1);
    writeFrame(worker, 2, 5);
    const frame = main.takeFrame();
    assert.deepEqual(
      [frame?.tick, frame?.sequence, [...(frame?.bytes ?? [])]],
      [2, 2, [2, 2, 2, 2, 2]],
    );
    assert.equal(main.takeFrame(), undefined);
    for (let i = 3; i < 10; i++) {
      writeFrame(worker, i);
      assert.ok(
        main.lastFrame.bytes.every((byte) => byte === 2),
        `frame ${i} overwrote it`,
      );
    }
    assert.equal(main.takeFrame()?.tick, 9);
  });

  test('frames are whole and in order, whenever the worker writes or dies', () => {
    const act = fc.constantFrom(
      'write',
      'take',
      'die writing',
      'die before exchange',
      'die after exchange',
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const { main, worker, views } = pair();
        let written = 0;
        let seen = 0;
        for (const what of acts) {
          if (what === 'take') {
            const frame = main.takeFrame();
            assert.equal(frame !== undefined, written > seen);
            if (frame) assert.equal((seen = frame.tick), written);
          } else if (what === 'write') {
            writeFrame(worker, ++written);
          } else if (what === 'die writing') {
            worker.frameTarget.fill(255);
            main.resetWriter();
          } else if (what === 'die before exchange') {
            const mine = worker.header[HEADER.writer];
            views.frames[mine].head.set([9999, 100, 9999]);
            main.resetWriter();
          } else {
            const { header } = worker;
            const mine = header[HEADER.writer];
            writeFrame(worker, ++written);
            header[HEADER.writer] = mine; // it died before it stored the new index
            main.resetWriter();
          }
          const { bytes, tick } = main.lastFrame;
          assert.ok(
            bytes.every((byte) => byte === tick),
            `frame ${tick} was overwritten`,
          );
        }
        assert.equal(main.faults, 0);
      }),
      { numRuns: 500 },
    );
  });

  test('an unfinished checkpoint does not change the newest complete one', () => {
    const { main, worker } = pair();
    assert.equal(main.checkpoint, undefined);
    assert.equal(main.copyCheckpoint(), undefined);
    for (let i = 1; i < 6; i++) {
      writeCheckpoint(worker, i, 4);
      worker.checkpointTarget.fill(255); // the worker dies before it publishes
      for (const found of [main.checkpoint, main.copyCheckpoint()]) {
        assert.deepEqual([found?.tick, [...(found?.bytes ?? [])]], [i, [i, i, i, i]]);
      }
    }
  });

  test('a worker cannot have a checkpoint copied again and again', (t) => {
    const { main, worker, views } = pair();
    const { head } = views.checkpoints[0];
    const slice = t.mock.method(Uint8Array.prototype, 'slice', () => {
      head[0] += 2; // it is written meanwhile
      return new Uint8Array();
    });
    writeCheckpoint(worker, 5, 4);
    assert.equal(main.copyCheckpoint(), undefined);
    assert.equal(slice.mock.callCount(), 2);
    head[0] |= 1; // it never ends to write
    assert.equal(main.copyCheckpoint(), undefined);
    assert.equal(slice.mock.callCount(), 2);
  });

  test('putCheckpoint() takes a checkpoint that fits', () => {
    const { main, worker } = pair();
    main.putCheckpoint(Uint8Array.of(1, 2, 3), 77);
    assert.deepEqual([...(worker.checkpoint?.bytes ?? [])], [1, 2, 3]);
    assert.equal(worker.checkpoint?.tick, 77);
    assert.throws(() => main.putCheckpoint(new Uint8Array(51), 1), { code: 'PITV_MAILBOX_SIZE' });
  });

  test('resetWriter() keeps frame and checkpoint, and clears the state of the last worker', () => {
    const { main, worker } = pair();
    writeFrame(worker, 5);
    writeCheckpoint(worker, 6);
    Object.assign(worker, { state: STATE.failed, tick: 6, memoryKib: 1 });
    main.control = CONTROL.stop;
    main.resetWriter();
    assert.deepEqual(
      [worker.state, worker.control, worker.tick, worker.memoryKib, worker.checkpoint?.tick],
      [STATE.starting, CONTROL.run, 6, 0, 6],
    );
    assert.equal(main.takeFrame()?.tick, 5);
  });

  test('the main side stays in range and never throws when a worker writes garbage', () => {
    const word = fc.oneof(fc.integer(), fc.integer({ min: -4, max: 8 }));
    const scribble = fc.record({ at: fc.nat(), word, then: fc.nat(5) });
    let found = 0;
    fc.assert(
      fc.property(fc.array(scribble, { maxLength: 40 }), (scribbles) => {
        const { main, memory, views } = pair();
        const heads = [...views.frames, ...views.checkpoints].map((slot) => slot.head);
        const words = [views.header, ...heads].flatMap((part) =>
          Array.from(part, (_, i) => ({ part, i })),
        );
        for (const { at, word, then } of scribbles) {
          const { part, i } = words[at % words.length];
          part[i] = word;
          if (then === 0) main.resetWriter();
          if (then === 1) main.putCheckpoint(Uint8Array.of(1), 1);
          main.writeInput(0, 1);
          for (const bytes of [main.takeFrame()?.bytes, main.lastFrame.bytes]) {
            assert.ok((bytes?.length ?? 0) <= sizes.frameBytes);
          }
          for (const bytes of [main.checkpoint?.bytes, main.copyCheckpoint()?.bytes]) {
            assert.ok((bytes?.length ?? 0) <= sizes.checkpointBytes);
          }
          void [main.tick, main.state, main.lateTicks, main.stepMicros, main.takeStepMicrosMax()];
        }
        found += main.faults;
        // The mailbox works for the next worker.
        main.resetWriter();
        const next = Mailbox.attach(memory);
        assert.deepEqual(next.sizes, { tickStats: 0, ...sizes });
        for (let i = 1; i < 5; i++) {
          writeFrame(next, i, 6);
          const frame = main.takeFrame();
          assert.deepEqual([frame?.tick, [...(frame?.bytes ?? [])]], [i, Array(6).fill(i)]);
        }
        writeCheckpoint(next, 9, 3);
        assert.deepEqual([...(main.copyCheckpoint()?.bytes ?? [])], [9, 9, 9]);
      }),
      { numRuns: 2000 },
    );
    assert.ok(found > 0, 'faults are counted');
  });

  const withStats = { ...sizes, tickStats: 1 };

  test('the main thread reads the statistics of the ticks since its last reading', () => {
    const { main, worker } = pair(withStats);
    assert.ok(main.tickStats && worker.tickStats);
    for (const micros of [0, 3, 4, 100, 1e9]) worker.tickStats.add(micros, 40, 700);
    worker.tickStats.add(100, 48, -1);
    worker.tickStats.setWorld(12, 5);
    const { counts, ...rest } = main.tickStats.take();
    assert.equal(counts.length, TICK_BUCKET_MICROS.length);
    assert.deepEqual([counts[0], counts.at(-1)], [3, 1]);
    const bucket = TICK_BUCKET_MICROS.findLastIndex((micros) => micros <= 100);
    assert.equal(counts[bucket], 2);
    const world = { bodies: 12, contacts: 5, frameBytes: 48 };
    assert.deepEqual(rest, { ...world, garbageBytes: 3500, garbageTicks: 5 });
    worker.tickStats.add(100, 44, 1000);
    const next = main.tickStats.take();
    const total = next.counts.reduce((sum, count) => sum + count, 0);
    assert.equal(total, 1);
    assert.deepEqual([next.garbageBytes, next.garbageTicks, next.frameBytes], [1000, 1, 44]);
  });

  test('a broken worker writes statistics that are read as numbers', () => {
    const { main } = pair(withStats);
    const words = new Int32Array(main.header.buffer);
    words.fill(-1, words.length - 40);
    for (const value of Object.values(main.tickStats?.take() ?? {}).flat()) {
      assert.ok(Number.isSafeInteger(value) && value >= 0, String(value));
    }
  });

  test('a mailbox has room for statistics only if it is asked for', () => {
    assert.equal(pair().main.tickStats, undefined);
    assert.ok(mailboxBytes(sizes) < mailboxBytes(withStats));
    assert.throws(() => mailboxBytes({ ...sizes, tickStats: 2 }), { code: 'PITV_MAILBOX_SIZE' });
  });
});
