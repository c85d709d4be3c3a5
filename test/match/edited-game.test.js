import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { decodeFrame } from '../support/decode-frame.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { setVariable, startTv, until } from '../support/tv.js';

/**
 * A game that shows a number as each player's score, in a world of some bodies.
 * @param {number} score @param {number} balls
 */
const source = (score, balls) =>
  gameSource('pong', {
    fields: `steer({ score }) { score.fill(${score}); }, world: () => ({ capacity: ${balls} }),`,
    hooks: `setUpRound({ world }) {
      world.clear();
      for (let i = 0; i < ${balls}; i++) {
        world.add({ shape: SHAPE.circle, kind: 0, x: i, y: 450, radius: 9 });
      }
    },`,
  });

for (const engine of ['thread', 'process', 'zygote']) {
  test(`${engine}: in development a match has the newest code of its game`, async (t) => {
    setVariable(t, 'NODE_ENV', 'development');
    const gamesDir = await gameFolder(t, { 'pong.js': source(7, 1) });
    const tv = await startTv(t, { gamesDir, args: ['--engine', engine] });
    for (const [score, balls] of [
      [7, 1],
      [9, 300],
    ]) {
      writeFileSync(join(gamesDir, 'pong.js'), source(score, balls));
      const { match } = await tv.lobby.start('pong', { owner: 'test' });
      const frame = await until(() => {
        const bytes = match.ticks > 3 && match.takeFrame();
        return bytes && decodeFrame(bytes);
      }, 'a frame');
      assert.equal(frame.players[0].score, score);
      assert.equal(frame.bodies.count, balls, 'the frame has room for the bodies of the new code');
      await match.stop();
    }
  });
}
