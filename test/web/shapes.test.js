import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InterpolatedBodies } from '../../app/web/lib/frame-view.js';
import { countDrawn } from '../../app/web/lib/shapes.js';

const picture = { width: 1600, height: 900 };
const COUNT = 60_000;

/**
 * Counts the bodies that are drawn.
 * @param {string} look @param {number} a @param {number} b @param {boolean} [glow]
 * @param {{count?: number, state?: number, size?: typeof picture}} [more] size: of the picture of the same world
 */
function drawn(look, a, b, glow, { count = COUNT, state = 0, size = picture } = {}) {
  const bodies = Object.assign(new InterpolatedBodies(), {
    count,
    kind: new Uint8Array(count),
    state: new Uint8Array(count).fill(state),
    a: new Float32Array(count).fill(a),
    b: new Float32Array(count).fill(b),
  });
  const kinds = [{ name: 'x', look, color: '#ffffff', glow }];
  return countDrawn(bodies, /** @type {any} */ ({ kinds }), size, size.width / picture.width);
}

test('bodies are drawn until they have painted the picture many times', () => {
  assert.equal(drawn('orb', 3, 0), COUNT);
  assert.equal(drawn('orb', 2000, 0), 16);
  assert.equal(drawn('floor', 2000, 0), 16);
  assert.equal(drawn('box', 800, 225), 32);
  assert.equal(drawn('box', 2000, 0), COUNT);
  const plain = drawn('ball', 30, 0);
  assert.ok(plain > 5000 && plain < COUNT, String(plain));
  assert.ok(drawn('ball', 30, 0, true) < plain / 4);
  for (const look of ['ring', 'wall', 'beam']) {
    const lines = drawn(look, -400, 300);
    assert.ok(lines > 100 && lines < 1000, `${look}: ${lines}`);
  }
});

test('a game of usual size is drawn as a whole', () => {
  for (const size of [picture, { width: 320, height: 180 }]) {
    assert.equal(drawn('ball', 40, 0, true, { count: 100, state: 1, size }), 100);
  }
});
