/**
 * Draws garbage frames like clips and pages, and restores garbage checkpoints in a game. In a TV, both run in processes
 * of their own: they may throw, but must not take long.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import bumper from '../../../app/games/bumper.js';
import collide from '../../../app/games/collide.js';
import swarm from '../../../app/games/swarm.js';
import { Canvas } from '../../../app/clips/canvas/canvas.js';
import { defineBrowserGlobals } from '../../../app/clips/render/pictures.js';
import { edited } from '../support/bytes.js';
import { cpuMs } from '../support/cpu.js';

const WIDTH = 64;
const HEIGHT = 36;
/** A picture of this size, or a tick, takes a few milliseconds of CPU time. */
const STEP_MS = 2000;
const TICKS = 3;
const GAMES = [bumper, swarm, collide];
const NAMES = [{ slot: 0, player: { id: 0, name: 'Ann', color: '#ff4d4d' } }];

/** Sizes and positions at the edges of int16, in sixteenths. */
const length = fc.oneof(
  fc.constantFrom(-32768, -1, 0, 1, 16, 32767),
  fc.integer({ min: -32768, max: 32767 }),
);
const small = fc.oneof(fc.nat(6), fc.nat(255));
const frame = fc
  .record({
    players: fc.array(fc.tuple(fc.nat(0xffff), fc.integer(), small, small, small), {
      maxLength: 4,
    }),
    events: fc.array(fc.tuple(fc.nat(0xffff), small, small, length, length), { maxLength: 6 }),
    bodies: fc.array(fc.tuple(small, length, length, length, length, small, small, small, small), {
      maxLength: 20,
    }),
    phase: small,
    timer: fc.nat(0xffff),
  })
  .map(({ players, events, bodies, phase, timer }) => {
    const bytes = Buffer.alloc(24 + 12 * players.length + 8 * events.length + 14 * bodies.length);
    bytes.set([1, 1]);
    bytes.writeUInt16LE(bodies.length, 8);
    bytes.set([players.length, events.length, phase, 1], 10);
    bytes.writeUInt16LE(timer, 14);
    let at = 24;
    for (const [sequence, score, flags, gauge, body] of players) {
      bytes.writeUInt32LE(sequence, at);
      bytes.writeInt32LE(score, at + 4);
      bytes.set([flags, gauge, body], at + 8);
      at += 12;
    }
    for (const [sequence, type, owner, x, y] of events) {
      bytes.writeUInt16LE(sequence, at);
      bytes.set([type, owner], at + 2);
      bytes.writeInt16LE(x, at + 4);
      bytes.writeInt16LE(y, at + 6);
      at += 8;
    }
    for (const [id, x, y, a, b, ...rest] of bodies) {
      bytes.writeUInt16LE(id, at);
      [x, y, a, b].forEach((value, i) => bytes.writeInt16LE(value, at + 2 + 2 * i));
      bytes.set(rest, at + 10);
      at += 14;
    }
    return bytes;
  });

/** Limits the CPU time of some work. @param {() => void} work may throw */
function bounded(work) {
  const began = cpuMs();
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Error, String(error));
  }
  const ms = cpuMs() - began;
  assert.ok(ms < STEP_MS, `it took ${Math.round(ms)} ms`);
}

/** @param {(typeof GAMES)[number]} game @returns {Buffer} a checkpoint of it */
function checkpointOf(game) {
  const job = game.start({ seed: 1 });
  for (let tick = 0; tick < 30; tick++)
    job.step(
      () => 0,
      () => 0,
    );
  const target = new Uint8Array(game.sizes({}).checkpointBytes);
  return Buffer.from(target.subarray(0, job.checkpoint(target)));
}

/** @typedef {{game: number, frame: Buffer, edits: Buffer}} Garbage */

/** @type {import('../support/target.js').Target<Garbage>} */
export default {
  name: 'drawing',
  seconds: 5,
  batch: 10,
  input: fc.record({
    game: fc.nat(GAMES.length - 1),
    frame: fc.oneof({ weight: 3, arbitrary: frame }, edited(frame)),
    // Edits of a checkpoint: offset, length and bytes.
    edits: fc.uint8Array({ minLength: 3, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  }),
  async open() {
    defineBrowserGlobals();
    const [
      { Renderer },
      { FrameView, InterpolatedBodies },
      { ScoreOverlay },
      { listStandings },
      { slotColors },
    ] = await Promise.all([
      import('../../../app/web/lib/renderer.js'),
      import('../../../app/web/lib/frame-view.js'),
      import('../../../app/clips/render/score-overlay.js'),
      import('../../../app/web/screen/scoreboard.js'),
      import('../../../app/web/lib/color.js'),
    ]);
    const colors = slotColors(NAMES);
    const checkpoints = GAMES.map(checkpointOf);
    const jobs = GAMES.map((game) => game.start({ seed: 1 }));
    const kits = GAMES.map((game) => {
      const canvas = new Canvas();
      const renderer = new Renderer(/** @type {any} */ (canvas), game.view);
      renderer.resize(WIDTH, HEIGHT, { x: 0, y: 0, width: WIDTH, height: HEIGHT });
      const overlay = new ScoreOverlay(
        canvas.getContext(),
        /** @type {any} */ (game),
        WIDTH,
        HEIGHT,
      );
      return { renderer, overlay, bodies: new InterpolatedBodies() };
    });

    /** @param {Garbage} garbage */
    const draw = ({ game, frame: bytes }) => {
      const { renderer, overlay, bodies } = kits[game];
      const { buffer, byteOffset, length } = bytes;
      const view = new FrameView(
        /** @type {ArrayBuffer} */ (buffer.slice(byteOffset, byteOffset + length)),
      );
      bodies.fill(view, view, 1, 1);
      renderer.draw(view, bodies, 33);
      overlay.draw(view, listStandings(view, NAMES, colors));
    };
    /** @param {Garbage} garbage */
    const restore = ({ game, edits }) => {
      const bytes = Buffer.from(checkpoints[game]);
      for (let i = 0; i + 2 < edits.length; i += 3)
        bytes[edits.readUInt16LE(i) % bytes.length] = edits[i + 2];
      const job = jobs[game];
      job.restore(bytes);
      for (let tick = 0; tick < TICKS; tick++)
        job.step(
          () => 0,
          () => 0,
        );
    };
    return {
      check(inputs) {
        for (const garbage of inputs) {
          bounded(() => draw(garbage));
          bounded(() => restore(garbage));
        }
      },
    };
  },
};
