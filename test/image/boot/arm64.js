/** The card for the Pi 3 and later, booted on an emulated Pi 3: page and a whole match, played inside. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardFile, playInside } from './inside.js';

test('it starts, no unit failed, it serves its page and plays a whole match', async () => {
  const machine = process.env.PITV_QEMU_MACHINE;
  const card = await cardFile('arm64');
  const { found, failed, analysis } = await playInside(card, 'arm64', { machine });
  console.log(analysis.replace(/^/gm, '# '));
  assert.equal(failed, '');
  assert.equal(found.failed, undefined);
  assert.ok(found.title);
  assert.equal(found.health.ok, true);
  assert.ok(found.frames > 10, `${found.frames} frames`);
  assert.equal(found.reason, 'done');
  assert.deepEqual(found.players, ['Ann', 'Ben', 'Bot', 'Bot']);
});
