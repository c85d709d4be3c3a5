/** Differences between frames: of random frames, and damaged ones. replay-file.test.js restores those of a match. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DifferenceWriter, MAX_FRAME_BYTES } from '../../app/game/difference-writer.js';
import { DIFFERENCE_TYPE, DifferenceReader } from '../../app/game/frame-difference.js';
import { seededRandom } from '../../app/web/lib/random.js';
import { FrameView } from '../../app/web/lib/frame-view.js';
import { makeFrame } from '../support/frame.js';

/** @param {Uint8Array} bytes @returns {ArrayBuffer} of its own */
const bufferOf = (bytes) => /** @type {ArrayBuffer} */ (new Uint8Array(bytes).buffer);
/** @param {ArrayBuffer | null} restored @param {Uint8Array} bytes @param {string} [what] */
const assertSame = (restored, bytes, what) => {
  assert.ok(restored, what);
  assert.deepEqual(new Uint8Array(restored), new Uint8Array(bytes), what);
};

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
const EVENTS = [{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }];
/** Bodies that move and turn evenly, and a new event each time. @param {number} tick @param {number} [match] */
const moving = (tick, match = 1) => {
  const bodies = BODIES.map(({ id, x, y }) => ({ id, x: x + tick, y, angle: (90 * tick) & 255 }));
  const events = EVENTS.map(({ sequence }) => ({ sequence: sequence + tick }));
  return makeFrame({ tick, match, bodies, events });
};

test('a body in even motion takes one byte, and only new events are sent', () => {
  const writer = new DifferenceWriter();
  assert.equal(writer.write(moving(1)), null);
  assert.equal(writer.write(moving(2)), null, 'two frames are needed');
  const difference = writer.write(moving(3));
  assert.equal(difference?.length, 24 + 8 + 2 + 8 + BODIES.length);
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
