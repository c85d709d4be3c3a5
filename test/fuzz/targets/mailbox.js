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
import { LatencyMeter } from '../../../app/server/measurements.js';
import { Replays } from '../../../app/server/replays.js';
import { Seats } from '../../../app/match/seats.js';
import { withinCpuTime } from '../support/target.js';

const PLAYERS = 3;
const SIZES = {
  inputSlots: PLAYERS,
  frameBytes: frameBytes(4, PLAYERS, 4),
  checkpointBytes: 96,
  inputLogTicks: 8,
};
const BYTES = mailboxBytes(SIZES);
/** A match takes no other frames. */
const LIMITS = { slots: PLAYERS, records: PLAYERS, kinds: 1, events: 1 };
const WORDS = BYTES / 4;
/** Words that decide where the main thread reads. They are written more often than others. */
const HEADER_AT = Object.values(HEADER);
/** The limit for the CPU time of all readers of a small mailbox. They take less than a millisecond. */
const ROUND_MS = 1000;

/**
 * @typedef {{kind: 'word', at: number, value: number} | {kind: 'bytes', at: number, bytes: Uint8Array}
 *   | {kind: 'frame', players: number, events: number, length: number}
 *   | {kind: 'tick', tick: number} | {kind: 'checkpoint', length: number, tick: number}
 *   | {kind: 'read'} | {kind: 'reset'}} Step
 */

const word = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, -1, 0x7fffffff, -0x80000000, 0xffff),
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer(),
);
const tick = fc.oneof(fc.integer({ min: -2, max: 5000 }), word);

/** @type {import('fast-check').Arbitrary<Step>} */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('word'),
    at: fc.oneof(fc.constantFrom(...HEADER_AT), fc.nat(WORDS - 1)),
    value: word,
  }),
  fc.record({
    kind: fc.constant('bytes'),
    at: fc.nat(BYTES - 1),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
  }),
  fc.record({
    kind: fc.constant('frame'),
    players: fc.nat(255),
    events: fc.nat(255),
    length: fc.oneof(fc.nat(SIZES.frameBytes), word),
  }),
  fc.record({ kind: fc.constant('tick'), tick }),
  fc.record({ kind: fc.constant('checkpoint'), length: fc.oneof(fc.nat(96), word), tick }),
  fc.constantFrom({ kind: 'read' }, { kind: 'read' }, { kind: 'reset' }),
);

/** The parts of the main thread that read one match's mailbox. */
class Readers {
  memory = new SharedArrayBuffer(BYTES);
  mailbox = Mailbox.create(this.memory, SIZES);
  /** The worker's view of the same memory. */
  words = new Int32Array(this.memory);
  bytes = new Uint8Array(this.memory);
  worker = new Mailbox(this.memory, SIZES);
  latency = new LatencyMeter();
  seats = new Seats(PLAYERS, { read: () => 0, write: () => 1, replace: () => 1 }, 1000);
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
    latency: this.latency,
    counters: /** @type {any} */ ({ frames() {} }),
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

  /** @param {Step} step */
  run(step) {
    switch (step.kind) {
      case 'word':
        this.words[step.at] = step.value;
        break;
      case 'bytes':
        this.bytes.set(step.bytes.subarray(0, BYTES - step.at), step.at);
        break;
      case 'frame':
        this.#writeFrame(step);
        break;
      case 'tick':
        this.worker.inputLog?.publish(step.tick);
        this.worker.tick = step.tick;
        break;
      case 'checkpoint':
        this.worker.publishCheckpoint(step.length, step.tick);
        break;
      case 'reset':
        this.mailbox.resetWriter();
        assert.equal(Mailbox.attach(this.memory).sizes.inputSlots, PLAYERS);
        break;
      default:
        this.#read();
    }
  }

  /** @param {{players: number, events: number, length: number}} frame */
  #writeFrame({ players, events, length }) {
    const writer = this.words[HEADER.writer];
    if (writer < 0 || writer > 2) return; // the worker has damaged its own index
    const { frameTarget } = this.worker;
    frameTarget.set([1, 1]);
    frameTarget[10] = players;
    frameTarget[11] = events;
    this.worker.publishFrame(length, this.words[HEADER.tick]);
  }

  #read() {
    const { mailbox } = this;
    for (let slot = 0; slot < PLAYERS; slot++) this.latency.recordInput(this.match, slot, slot, 0);
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
    mailbox.inputLog?.drain((_tick, words) => assert.equal(words.length, PLAYERS));
    assert.ok((this.replays.get(1)?.parts.length ?? 1) > 0);
    mailbox.takeStepMicrosMax();
    mailbox.clearInspection();
  }
}

/** @type {import('../support/target.js').Target<Step>} */
export default {
  batch: 60,
  input: step,
  open: async () => ({
    check(steps) {
      const readers = new Readers();
      return withinCpuTime(ROUND_MS, () => {
        for (const step of steps) readers.run(step);
        readers.run({ kind: 'read' });
      });
    },
  }),
};
