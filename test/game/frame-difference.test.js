/** Differences between frames: of real matches, of random frames, and damaged ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DifferenceWriter, MAX_FRAME_BYTES } from '../../app/game/difference-writer.js';
import { DIFFERENCE_TYPE, DifferenceReader } from '../../app/game/frame-difference.js';
import { frameBytes } from '../../app/game/frame.js';
import { seededRandom } from '../../app/web/lib/random.js';
import { FrameView } from '../../app/web/lib/frame-view.js';
import bumper from '../../app/games/bumper.js';
import swarm from '../../app/games/swarm.js';
import { Pads } from '../../app/game-test/play.js';
import { makeFrame } from '../support/frame.js';

/** @param {Uint8Array} bytes @returns {ArrayBuffer} of its own */
const bufferOf = (bytes) => /** @type {ArrayBuffer} */ (new Uint8Array(bytes).buffer);
/** @param {ArrayBuffer | null} restored @param {Uint8Array} bytes @param {string} [what] */
const assertSame = (restored, bytes, what) => {
  assert.ok(restored, what);
  assert.deepEqual(new Uint8Array(restored), new Uint8Array(bytes), what);
};

/**
 * Plays a game with bots, and restores each of its frames from the differences.
 * @param {import('../../app/game/define.js').Game} game @param {number} ticks
 * @returns {{frames: number, messages: number}} bytes of frames, and of what is sent
 */
function playAndRestore(game, ticks) {
  const pads = new Pads(game.players.max);
  const job = game.start({ seed: 7, match: 1 });
  const target = new Uint8Array(frameBytes(4096, 16, 255));
  const [writer, reader] = [new DifferenceWriter(), new DifferenceReader()];
  const sum = { frames: 0, messages: 0 };
  for (let tick = 0; tick < ticks && !job.done; tick++) {
    pads.set(0, {
      x: Math.sin(tick / 20),
      y: Math.cos(tick / 31),
      buttons: tick % 40 < 20 ? 1 : 0,
    });
    job.step(pads.readWord, pads.readSequence);
    const bytes = target.subarray(0, job.writeFrame(target));
    const message = writer.write(bytes) ?? bytes;
    sum.frames += bytes.length;
    sum.messages += message.length;
    assertSame(reader.read(bufferOf(message)), bytes, `tick ${tick}`);
  }
  return sum;
}

for (const [game, ticks, share] of /** @type {const} */ ([
  [bumper, 1500, 0.5],
  [swarm, 3000, 0.4],
])) {
  test(`${game.title}: every frame is restored, from at most ${share} of the bytes`, () => {
    const { frames, messages } = playAndRestore(/** @type {any} */ (game), ticks);
    console.log(`# ${game.title}: ${((messages / frames) * 100).toFixed(1)} % of the bytes`);
    assert.ok(messages < frames * share, `${messages} of ${frames} bytes`);
  });
}

test('bodies that come, go, change their order and all their fields are restored', () => {
  const random = seededRandom(5);
  const below = (/** @type {number} */ n) => Math.floor(random() * n);
  const [writer, reader] = [new DifferenceWriter(), new DifferenceReader()];
  /** @type {any[]} */
  let bodies = [];
  let differences = 0;
  for (let tick = 1; tick < 600; tick++) {
    for (let i = below(4); i > 0; i--) {
      const body = { id: below(80), x: below(4000) - 2000, y: below(4000) - 2000, owner: 255 };
      bodies.splice(below(bodies.length + 1), 0, body); // ids may be there twice
    }
    if (bodies.length > 50) bodies = bodies.filter(() => below(3) > 0);
    for (const body of bodies) {
      const change = below(40);
      if (change === 0) body.a = below(50);
      else if (change === 1) body.kind = below(256);
      else if (change === 2) body.owner = below(256);
      else if (change === 3) body.state = below(32);
      else if (change === 4) body.angle = below(256);
      else if (change < 39) body.x += (body.id - 40) / 7;
      else body.y = below(3000) - 1500;
    }
    if (tick % 50 === 0) bodies.reverse();
    const events = Array.from({ length: below(6) }, (_, i) => ({ sequence: tick + i - below(2) }));
    const players = Array.from({ length: below(4) }, () => ({ score: below(100) }));
    const bytes = makeFrame({ tick, bodies, events, players });
    const difference = writer.write(bytes);
    if (difference) differences++;
    assertSame(reader.read(bufferOf(difference ?? bytes)), bytes, `tick ${tick}`);
  }
  assert.ok(differences > 100, `${differences} differences`);
});

const BODIES = Array.from({ length: 20 }, (_, id) => ({ id, x: id * 10, y: 5 }));
/** @param {number} tick @param {number} [match] */
const moving = (tick, match = 1) =>
  makeFrame({ tick, match, bodies: BODIES.map(({ id, x, y }) => ({ id, x: x + tick, y })) });

test('a body in even motion takes one byte', () => {
  const writer = new DifferenceWriter();
  assert.equal(writer.write(moving(1)), null);
  assert.equal(writer.write(moving(2)), null, 'two frames are needed');
  const difference = writer.write(moving(3));
  assert.equal(difference?.length, 24 + 8 + 2 + BODIES.length);
  assert.equal(difference?.[1], DIFFERENCE_TYPE);
});

test('large frames are whole, and so are the next two', () => {
  const writer = new DifferenceWriter();
  const large = new Uint8Array(MAX_FRAME_BYTES + 1);
  const sent = [1, 2, 3].map((tick) => writer.write(moving(tick)) !== null);
  assert.equal(writer.write(large), null);
  assert.equal(writer.clone().write(moving(4)), null);
  sent.push(...[4, 5, 6].map((tick) => writer.write(moving(tick)) !== null));
  assert.deepEqual(sent, [false, false, true, false, false, true]);
});

test('another match begins with whole frames', () => {
  const writer = new DifferenceWriter();
  for (const tick of [1, 2]) writer.write(moving(tick));
  assert.ok(writer.write(moving(3)));
  assert.equal(writer.write(moving(4, 2)), null);
  assert.equal(writer.write(moving(5, 2)), null);
  assert.ok(writer.write(moving(6, 2)));
});

test('a reader of frames rejects differences, and differences from other frames are rejected', () => {
  const writer = new DifferenceWriter();
  for (const tick of [1, 2, 3]) writer.write(moving(tick));
  const difference = bufferOf(/** @type {Uint8Array} */ (writer.write(moving(4))));
  assert.throws(() => new FrameView(difference), RangeError);
  const reader = new DifferenceReader();
  assert.equal(reader.read(difference), null, 'no frame before');
  assert.ok(reader.read(bufferOf(moving(3))));
  assert.equal(reader.read(difference), null, 'one frame before');
  reader.read(bufferOf(moving(2)));
  assert.equal(reader.read(difference), null, 'others');
  for (const tick of [2, 3]) reader.read(bufferOf(moving(tick)));
  assertSame(reader.read(difference), moving(4));
});

test('damaged messages are rejected or give a whole frame, and the next whole frames are read', () => {
  const random = seededRandom(9);
  const writer = new DifferenceWriter();
  for (const tick of [1, 2]) writer.write(moving(tick));
  const good = new Uint8Array(/** @type {Uint8Array} */ (writer.write(moving(3))));
  let rejected = 0;
  for (let i = 0; i < 2000; i++) {
    const reader = new DifferenceReader();
    for (const tick of [1, 2]) reader.read(bufferOf(moving(tick)));
    const bad = good.slice(0, 1 + Math.floor(random() * good.length));
    for (let n = 0; n < 3; n++) {
      bad[Math.floor(random() * bad.length)] = Math.floor(random() * 256);
    }
    const read = reader.read(bufferOf(bad));
    if (read) new FrameView(read);
    else rejected++;
    assertSame(reader.read(bufferOf(moving(9))), moving(9));
  }
  assert.ok(rejected > 1000, `${rejected} rejected`);
});
