/** The card for the Pi 3 and later, booted on an emulated Pi 3: page and a whole match, played inside. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardFor } from './board.js';
import { playInside } from './inside.js';

const { file, why: skip } = await cardFor('arm64');
const machine = process.env.PITV_QEMU_MACHINE;

test(
  'the card for the Pi 3 starts, no unit failed, a whole match is played',
  { skip },
  async () => {
    const { found, failed, analysis } = await playInside(file, 'arm64', { machine });
    console.log(analysis.replace(/^/gm, '# '));
    assert.equal(failed, '');
    assert.equal(found.failed, undefined);
    assert.ok(found.title);
    assert.equal(found.health.ok, true);
    assert.ok(found.frames > 10, `${found.frames} frames`);
    assert.equal(found.reason, 'done');
    assert.deepEqual(found.players, ['Ann', 'Ben', 'Bot', 'Bot']);
  },
);
