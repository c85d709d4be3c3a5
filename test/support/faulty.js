/**
 * A game that fails on demand: the first player's buttons make it throw, loop forever or exhaust its memory, unless it
 * is imported with `?deaf`. Its world is a tick counter. Its frames show one body for each player, in the direction of
 * the stick.
 */
import { FrameWriter } from '../../app/game/frame-writer.js';
import { PLAYER_FLAG, frameBytes } from '../../app/game/frame.js';
import { BUTTON_A, BUTTON_B, unpackInput } from '../../app/game/input.js';

const SLOTS = 2;
const isDeaf = new URL(import.meta.url).searchParams.has('deaf');

class Job {
  tick = 0;
  done = false;
  writer = new FrameWriter();
  inputs = [unpackInput(0), unpackInput(0)];
  sequences = [0, 0];
  presses = -1;
  /** @type {object[]} */
  hoard = [];

  /** @param {{throwAt?: number, doneAt?: number}} options ticks */
  constructor(options) {
    this.options = options;
  }

  /** @param {(slot: number) => number} readWord @param {(slot: number) => number} readSequence */
  step(readWord, readSequence) {
    this.tick++;
    for (let slot = 0; slot < SLOTS; slot++) {
      this.sequences[slot] = readSequence(slot);
      unpackInput(readWord(slot), this.inputs[slot]);
    }
    const { throwAt = Infinity, doneAt = Infinity } = this.options;
    if (this.tick >= throwAt) throw new Error('as told');
    if (this.tick >= doneAt) this.done = true;
    const [{ buttons, pressesA, pressesB, present }] = this.inputs;
    const presses = present ? pressesA * 16 + pressesB : -1;
    const pressed = this.presses >= 0 && presses >= 0 && presses !== this.presses ? buttons : 0;
    this.presses = presses;
    if (isDeaf) return;
    if (pressed === BUTTON_A) throw new Error('as told');
    if (pressed === BUTTON_B) for (;;);
    if (pressed === (BUTTON_A | BUTTON_B)) {
      for (;;) this.hoard.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
    }
  }

  /** @param {Uint8Array} target */
  writeFrame(target) {
    const { writer } = this;
    writer.attach(target);
    const rest = { round: 1, timer: 0, extra: [], players: SLOTS, events: 1 };
    writer.begin({ match: 1, tick: this.tick, phase: 1, ...rest });
    for (const [slot, input] of this.inputs.entries()) {
      const flags = input.present ? PLAYER_FLAG.present | PLAYER_FLAG.alive : 0;
      writer.player(this.sequences[slot], this.tick * (slot + 1), flags, 0, slot);
    }
    writer.event(Math.floor(this.tick / 60) & 0xffff, 0, 0, 0, 0);
    for (const [slot, { x, y }] of this.inputs.entries()) {
      writer.body(slot, x * 127, y * 127, 10, 0, 0, slot, 0, 0);
    }
    return writer.end();
  }

  /** @param {Uint8Array} target */
  checkpoint(target) {
    new DataView(target.buffer, target.byteOffset).setUint32(0, this.tick, true);
    return 4;
  }

  /** @param {Uint8Array} source */
  restore(source) {
    this.tick = new DataView(source.buffer, source.byteOffset).getUint32(0, true);
  }
}

export default {
  id: 'faulty',
  title: 'Faulty',
  tagline: 'Breaks when told to',
  rules: ['A throws, B hangs, both eat memory.'],
  players: { min: 1, max: SLOTS },
  controls: { stick: 'move', a: 'throw', b: 'hang' },
  view: {
    width: 1600,
    height: 900,
    background: '#000',
    kinds: [{ name: 'ball', look: 'ball', color: 'owner' }],
    events: [{ name: 'second', effect: 'flash', sound: 'hit', rumbleMs: 30 }],
    extra: [],
  },
  options: {
    throwAt: { default: 4e9, min: 0, max: 4e9 },
    doneAt: { default: 4e9, min: 0, max: 4e9 },
  },
  sizes: () => ({ inputSlots: SLOTS, frameBytes: frameBytes(SLOTS, SLOTS, 1), checkpointBytes: 4 }),
  /** @param {Record<string, number>} [options] */
  start: (options = {}) => new Job(options),
};
