/**
 * A small program for the `startup` scenario. It makes 1,000 bodies, computes a first step, and writes to stdout when
 * the event loop runs. A snapshot of it contains the result of the first two. It is one file, because a snapshot cannot
 * contain more.
 */
const { writeSync } = require('node:fs');
const { startupSnapshot } = require('node:v8');

const BODIES = 1000;
const RADIUS = 10;

function prepare() {
  const x = new Float64Array(BODIES);
  const y = new Float64Array(BODIES);
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  for (let i = 0; i < BODIES; i++) {
    x[i] = random() * 1600;
    y[i] = random() * 900;
  }
  let pairs = 0;
  for (let i = 0; i < BODIES; i++) {
    for (let j = i + 1; j < BODIES; j++) {
      const [dx, dy] = [x[i] - x[j], y[i] - y[j]];
      if (dx * dx + dy * dy < 4 * RADIUS * RADIUS) pairs++;
    }
  }
  return { x, y, pairs };
}

const world = prepare();
const ready = () => setImmediate(() => writeSync(1, String(world.pairs)));

if (startupSnapshot?.isBuildingSnapshot()) startupSnapshot.setDeserializeMainFunction(ready);
else ready();
