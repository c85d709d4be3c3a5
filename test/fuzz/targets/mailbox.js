/** A worker that writes garbage into its mailbox while the main thread reads it. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { Mailbox, mailboxBytes } from '../../../app/engine/mailbox/mailbox.js';
import { HEADER } from '../../../app/engine/mailbox/layout.js';
import { findFrameProblem, readPhase } from '../../../app/game/frame-reader.js';
import { frameBytes } from '../../../app/game/frame.js';
import { decodeFrame } from '../../support/decode-frame.js';
import { resultsOf } from '../../../app/match/results.js';
import { HudFeed, hudsOf } from '../../../app/server/hud-feed.js';
import { FramePump } from '../../../app/server/frames.js';
import { Counters } from '../../../app/server/metrics.js';
import { Replays } from '../../../app/server/replays.js';
import { Seats } from '../../../app/match/seats.js';
import { withinCpuTime } from '../support/cpu-time.js';

const PLAYERS = 3;
const SIZES = { inputSlots: PLAYERS, frameBytes: frameBytes(4, PLAYERS, 4), checkpointBytes: 96 };
const BYTES = mailboxBytes(SIZES);
/** A match takes no other frames. */
const LIMITS = { slots: PLAYERS, records: PLAYERS, kinds: 1, events: 1, lines: [false] };
const WORDS = BYTES / 4;
/** Words that decide where the main thread reads. They are written more often than others. */
const HEADER_AT = Object.values(HEADER);
/** The limit for the CPU time of all readers of a small mailbox. They take less than a millisecond. */
const ROUND_MS = 1000;

const word = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, -1, 0x7fffffff, -0x80000000, 0xffff),
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer(),
);
const tick = fc.oneof(fc.integer({ min: -2, max: 5000 }), word);

/**
 * Writes of the worker, and reads of the main thread.
 * @type {Record<string, {weight?: number, input: fc.Arbitrary<any>, run: (readers: Readers, input: any) => void}>}
 */
const STEPS = {
  word: {
    input: fc.record({
      at: fc.oneof(fc.constantFrom(...HEADER_AT), fc.nat(WORDS - 1)),
      value: word,
    }),
    run: ({ words }, { at, value }) => void (words[at] = value),
  },
  bytes: {
    input: fc.record({
      at: fc.nat(BYTES - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
    }),
    run: ({ bytes: all }, { at, bytes }) => all.set(bytes.subarray(0, BYTES - at), at),
  },
  frame: {
    input: fc.record({
      players: fc.nat(255),
      events: fc.nat(255),
      length: fc.oneof(fc.nat(SIZES.frameBytes), word),
    }),
    run({ words, worker }, { players, events, length }) {
      const writer = words[HEADER.writer];
      if (writer < 0 || writer > 2) return; // the worker has damaged its own index
      const { frameTarget } = worker;
      frameTarget.set([1, 1]);
      frameTarget.set([players, events], 10);
      worker.publishFrame(length, words[HEADER.tick]);
    },
  },
  tick: {
    input: fc.record({ tick }),
    run: ({ worker }, { tick: number }) => void (worker.tick = number),
  },
  checkpoint: {
    input: fc.record({ length: fc.oneof(fc.nat(96), word), tick }),
    run: ({ worker }, { length, tick: number }) => worker.publishCheckpoint(length, number),
  },
  read: { weight: 2, input: fc.constant({}), run: (readers) => readers.read() },
  reset: {
    weight: 1,
    input: fc.constant({}),
    run({ mailbox, memory }) {
      mailbox.resetWriter();
      assert.equal(Mailbox.attach(memory).sizes.inputSlots, PLAYERS);
    },
  },
};

/** @typedef {{kind: string}} Step with the input of its kind */
/** @type {fc.Arbitrary<Step>} */
const step = fc.oneof(
  ...Object.entries(STEPS).map(([kind, { weight = 3, input }]) => ({
    weight,
    arbitrary: input.map((given) => ({ kind, ...given })),
  })),
);

/** The parts of the main thread that read one match's mailbox. */
class Readers {
  memory = new SharedArrayBuffer(BYTES);
  mailbox = Mailbox.create(this.memory, SIZES);
  /** The worker's view of the same memory. */
  words = new Int32Array(this.memory);
  bytes = new Uint8Array(this.memory);
  worker = new Mailbox(this.memory, SIZES);
  counters = new Counters();
  seats = new Seats(PLAYERS, { mailbox: undefined }, 1000);
  sent = 0;
  hud = new HudFeed([{ rumbleMs: 10 }, { rumbleMs: 1e9 }], (slot, text) => {
    assert.ok(Number.isInteger(slot) && slot >= 0 && slot <= 255);
    JSON.parse(text);
    this.sent++;
  });
  match = /** @type {any} */ ({
    id: 1,
    game: { players: { max: PLAYERS }, view: { kinds: [], events: [] } },
    seats: { slots: [] },
    takeFrame: () => {
      const bytes = this.mailbox.takeFrame()?.bytes;
      return bytes && !findFrameProblem(bytes, LIMITS) ? bytes : undefined;
    },
  });
  replays = new Replays(new EventEmitter());
  pump = new FramePump({
    matches: () => [this.match],
    counters: this.counters,
    replays: this.replays,
    onFrame: (_match, bytes, now) => this.hud.frame(bytes, now),
  });

  constructor() {
    const screen = /** @type {any} */ ({
      hasRoom: () => true,
      sendFrame: (/** @type {Buffer} */ frame) => assert.ok(frame.length <= SIZES.frameBytes),
    });
    this.pump.watch(screen, this.match);
  }

  read() {
    const { mailbox } = this;
    for (let slot = 0; slot < PLAYERS; slot++)
      this.counters.latency.recordInput(this.match, slot, slot, 0);
    this.pump.poll();
    const taken = mailbox.takeFrame();
    const { bytes } = taken ?? mailbox.lastFrame;
    assert.ok(bytes.length <= SIZES.frameBytes);
    assert.ok(readPhase(bytes) >= -1);
    assert.ok(hudsOf(bytes).length <= 255);
    for (const { score } of resultsOf(bytes, this.seats)) assert.ok(Number.isInteger(score));
    try {
      decodeFrame(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    const copy = mailbox.copyCheckpoint();
    if (copy) assert.ok(copy.bytes.length <= SIZES.checkpointBytes);
    assert.ok((mailbox.checkpoint?.bytes.length ?? 0) <= SIZES.checkpointBytes);
    assert.ok((this.replays.get(1)?.parts.length ?? 1) > 0);
    mailbox.takeStepMicrosMax();
    mailbox.clearInspection();
  }
}

/** @type {import('../run-target.js').Target<Step>} */
export default {
  batch: 60,
  input: step,
  open: async () => ({
    check(steps) {
      const readers = new Readers();
      return withinCpuTime(ROUND_MS, () => {
        for (const each of steps) STEPS[each.kind].run(readers, each);
        readers.read();
      });
    },
  }),
};
