import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packInput } from '../../app/game/input.js';
import { READY, start, tinyGame } from './tiny-game.js';

test('a press between a checkpoint and the restart from it counts', () => {
  const first = start();
  first.words[0] = packInput(0, 0, 0, 1, 0);
  first.step(READY + 5);
  const bytes = first.checkpoint();
  const second = start();
  second.job.restore(bytes);
  second.words[0] = packInput(0, 0, 0, 2, 0);
  second.step(1);
  assert.equal(second.job.flow.own.taps[0], 1);
});

test('the error of an invalid option has its name and range', () => {
  const game = tinyGame();
  for (const balls of [-1, 51, 1.5, NaN, '5']) {
    const refused = { code: 'PITV_OPTION_INVALID', message: /balls.*0 to 50/ };
    assert.throws(() => game.start({ balls }), refused);
    assert.throws(() => game.sizes({ balls }), refused);
  }
  assert.equal(game.start({ balls: 0 }).tick, 0);
  assert.throws(() => game.start({ ball: 1 }), {
    code: 'PITV_OPTION_INVALID',
    message: 'tiny: there is no option "ball". Options: balls, seed, match.',
  });
});

test('rehearsals have valid options, in more object shapes than V8 caches', () => {
  const game = tinyGame();
  const runs = Array.from({ length: 10 }, (_, run) => game.rehearsalOptions(run));
  for (const options of runs) assert.equal(game.start(options).tick, 0);
  assert.ok(new Set(runs.map((options) => Object.keys(options).join())).size > 4);
});

test('any seed and match number is accepted', () => {
  for (const seed of [0, -1, 1e300, NaN, undefined, '12', 4294967295]) {
    assert.equal(tinyGame().start({ seed, match: seed }).tick, 0);
  }
});
