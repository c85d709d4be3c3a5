import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findLoop } from '../../app/game-test/find-loop.js';
import { ABSENT, BUTTON_A, packInput } from '../../app/game/input.js';
import { loadGame } from '../../app/game/load-games.js';
import { lockOf } from '../../app/packages/game-reader.js';
import { startMatch } from '../support/bundled-game.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { lockMissing } from '../support/lock.js';

/** CPU time of a tick. */
const TICK_MS = 300;

/** Loops, each with the line that has `LOOP`. @type {Record<string, {top?: string, fields: string}>} */
const LOOPS = {
  'a loop with calls': {
    top: `const half = (number) => {
      const result = number / 2;
      return result > 1 ? result : 1;
    };`,
    fields: `settle({ tick }) {
      let number = tick;
      while (number > 0) { // LOOP
        number = half(number);
        number = half(half(number));
      }
    },`,
  },
  'a loop before the first tick': {
    fields: `setUpRound({ world }) {
      world.clear();
      for (let i = 0; i < 10; i += 0) world.count; // LOOP
    },`,
  },
  'a loop in decorate()': {
    fields: `decor: 2,
    decorate({ tick }) {
      const list = [1];
      list.forEach((each) => list.fill(each));
      do {} while (tick > 3); // LOOP
    },`,
  },
};

/** @param {Parameters<typeof gameSource>[1]} parts */
function makeGame(parts) {
  const source = gameSource('loops', parts);
  const line = source.split('\n').findIndex((text) => text.endsWith('LOOP')) + 1;
  const folder = gameFolder({ 'loops.js': source });
  const path = join(folder, 'loops.js');
  const id = 'loops';
  const lock = lockOf({ path, id, folder }, false);
  return { game: { url: pathToFileURL(path).href, id, lock }, place: `loops.js:${line}` };
}

for (const [name, parts] of Object.entries(LOOPS)) {
  test(`the line is found: ${name}`, { skip: lockMissing }, async () => {
    const { game, place } = makeGame(parts);
    const inputs = { options: { seed: 1 }, words: new Int32Array() };
    assert.equal(await findLoop(game, inputs, TICK_MS), place);
  });
}

const title = 'a match is played from its checkpoint on, with its inputs';
test(title, { skip: lockMissing }, async () => {
  const { game, place } = makeGame({
    fields: `steer({ world, held, tick }) {
      while (held[1] > 0 && tick === 103 && world.count === 5); // LOOP
    },`,
  });
  const loaded = await loadGame(fileURLToPath(game.url));
  const match = startMatch(loaded, [], { seed: 1 });
  match.step(100);
  const checkpoint = match.checkpoint();
  for (const [buttons, expected] of [
    [BUTTON_A, place],
    [0, undefined], // each tick returns
  ]) {
    const words = Int32Array.of(ABSENT, packInput(0, 0, Number(buttons), 0, 0));
    const inputs = { options: { seed: 1 }, checkpoint, words };
    assert.equal(await findLoop(game, inputs, TICK_MS), expected);
  }
});
