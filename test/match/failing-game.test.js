import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { placeOf } from '../../app/errors/place.js';
import { decodeFrame } from '../support/decode-frame.js';
import { gameFolder, gameSource } from '../support/game-files.js';
import { Client, metricsOf, setVariable, startTv, until } from '../support/tv.js';

const part = `export function fall(flow) {
  if (flow.tick >= 20) flow.nobody.x = 1;
}
`;
const source = gameSource('pong', {
  top: "import { fall } from './pong/fall.js';",
  hooks: 'steer(flow) { fall(flow); },',
});

test('a game that always throws fails at the third time, and is named with file and line', async (t) => {
  const gamesDir = gameFolder({ 'pong.js': source, 'pong/fall.js': part });
  const tv = await startTv(t, { gamesDir });
  const [screen, pad] = [await Client.screen(tv), await Client.pad(tv)];
  const end = await pad.ask({ t: 'start', game: 'pong' }, 'ended');
  for (const { reason, message } of [end, await screen.next('ended')]) {
    assert.equal(reason, 'failed');
    assert.match(message, /failed/);
  }
  assert.equal('problem' in end, false, 'not in development');
  const metrics = await metricsOf(tv);
  assert.equal(metrics.get('pitv_restarts_total{reason="crashed"}'), 3);
  assert.equal(metrics.get('pitv_matches_ended_total{reason="failed"}'), 1);
  assert.deepEqual(tv.engine.workers, []);
  const { problems } = await tv.services.system.facts();
  const problem =
    /^The game pong: TypeError: Cannot set properties of undefined.* \(pong\/fall\.js:2\)/;
  assert.ok(problem.test(problems[0]), problems.join());
});

test('a game of others that claims that the machine lacks memory fails at the third time', async (t) => {
  const claims = gameSource('pong', {
    hooks: "steer({ tick }) { if (tick > 5) throw new Error('ENOMEM'); },",
  });
  const tv = await startTv(t, { gamesDir: gameFolder({ 'pong.js': claims }) });
  const { match } = await tv.lobby.start('pong', { owner: 'test' });
  await until(() => match.end, 'the match ends');
  assert.equal(match.end?.reason, 'failed');
  assert.equal(match.restarts, 3);
});

test('the place of an error is the first line in the folder of the game, or of its causes', () => {
  const url = 'file:///games/pong.js';
  const stack =
    'Error: no\n    at f (file:///kernel/world.js:9:2)\n    at file:///games/pong/a.js:12:3';
  assert.equal(placeOf({ stack }, url), 'pong/a.js:12');
  assert.equal(placeOf({ stack: 'x', cause: { stack } }, url), 'pong/a.js:12');
  assert.equal(placeOf({ stack: 'file:///games/pong.js:3\nlet x = = 2;' }, url), 'pong.js:3');
  assert.equal(placeOf({ stack: 'at file:///games/pong.js?v=2:3:4' }, url), 'pong.js:3');
  assert.equal(placeOf(undefined, url), undefined);
  // In a time that grows with the square of its length, this would take hours.
  assert.equal(placeOf({ stack: `at file:///games/${'x'.repeat(2 ** 22)}` }, url), undefined);
  const circle = { stack: '' };
  assert.equal(placeOf(Object.assign(circle, { cause: circle }), url), undefined);
});

/** A game that shows a number as each player's score. @param {number} score @param {number} balls of its world */
const shows = (score, balls) =>
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
    const gamesDir = gameFolder({ 'pong.js': shows(7, 1) });
    const tv = await startTv(t, { gamesDir, args: ['--engine', engine] });
    for (const [score, balls] of [
      [7, 1],
      [9, 300],
    ]) {
      writeFileSync(join(gamesDir, 'pong.js'), shows(score, balls));
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
