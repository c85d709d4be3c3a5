/** Checks the rules that every game must follow. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RandomPlayers } from '../../app/game-test/play.js';
import { BODY_STATE, NO_BODY, PHASE } from '../../app/game/frame.js';
import { randomWord } from '../../app/game/rng.js';
import { BUNDLED, loadCatalog } from '../../app/packages/catalog.js';
import { loadBundled, startMatch } from '../support/bundled-game.js';
import { smallOptions } from '../../bench/scenarios/bots/play.js';

/** @type {import('../../app/game/define.js').Game[]} */
const games = await loadCatalog();
for (const name of readdirSync(BUNDLED)) {
  if (!existsSync(join(BUNDLED, name, 'package.json'))) continue;
  games.push((await loadBundled(name)).default);
}

/** How far a body may be from the corner of the world. */
const MAX_DISTANCE = 2500;
const ALL_STATES = Object.values(BODY_STATE).reduce((sum, bit) => sum | bit, 0);

/** @param {import('../../app/game/define.js').Game} game @param {number} seed */
const startSmall = (game, seed) => startMatch(game, [], { ...smallOptions(game), seed, match: 5 });

for (const game of games) {
  describe(game.id, () => {
    test('its start can be prepared, as often as there are spare workers', () => {
      for (let i = 0; i < 3; i++) game.prepare(); // an error would stay unknown there
    });

    test('the same seed and inputs give the same bytes, also after a restore', () => {
      const first = startSmall(game, 11);
      const second = startSmall(game, 11);
      const other = startSmall(game, 12);
      const late = startSmall(game, 999);
      const players = new RandomPlayers(game.players.max, 1);
      const step = (/** @type {typeof first} */ { job }) =>
        job.step(players.readWord, players.readSequence);
      let differs = false;
      for (let tick = 0; tick < 2400; tick++) {
        players.advance();
        [first, second, other].forEach(step);
        const seen = first.raw();
        assert.deepEqual(second.raw(), seen);
        differs ||= Buffer.compare(other.raw(), seen) !== 0;
        if (tick === 1000) late.job.restore(first.checkpoint());
        if (tick > 1000) {
          step(late);
          assert.deepEqual(late.raw(), seen, `tick ${tick}`);
        }
      }
      assert.ok(differs, 'a different seed gives a different match');
      assert.deepEqual(late.job.flow.world.bytes, first.job.flow.world.bytes);
    });

    test('any input words are harmless: what is drawn is valid, and within the world', () => {
      const { job, frame } = startSmall(game, 4);
      const state = Uint32Array.of(1, 2, 3, 4);
      const next = () => randomWord(state, 0);
      const types = new Set();
      for (let tick = 0; tick < 6000 && !job.done; tick++) {
        job.step(next, next);
        if (tick % 4 !== 0) continue;
        const { world } = job.flow;
        const { bodies, players, events } = frame();
        assert.equal(job.takeWarning(), undefined, 'kinds, owners, positions, events and scores');
        for (const { type } of events) types.add(type);
        for (let id = 0; id < world.high; id++) {
          if (world.shape[id] === 0) continue;
          assert.ok(Number.isFinite(world.vx[id] + world.vy[id]), `body ${id} at tick ${tick}`);
          const near = (/** @type {number} */ at) => Math.abs(at) < MAX_DISTANCE;
          assert.ok(near(world.x[id]) && near(world.y[id]), 'near the world');
        }
        for (const state of bodies.state) assert.equal(state & ~ALL_STATES, 0);
        const ids = new Set(bodies.id);
        assert.equal(ids.size, bodies.count, 'ids are unique');
        for (const { body } of players) assert.ok(body === NO_BODY || ids.has(body));
      }
      assert.ok(types.size >= Math.min(3, game.view.events.length), 'several types of events');
    });

    test('players may join and leave at any time', () => {
      const { job } = startSmall(game, 6);
      const players = new RandomPlayers(game.players.max, 2);
      const { body, human, bot, world } = job.flow;
      for (let tick = 0; tick < 9000 && !job.done; tick++) {
        players.advance();
        job.step(players.readWord, players.readSequence);
        for (let slot = 0; slot < game.players.max; slot++) {
          assert.equal(human[slot] === 1, players.readWord(slot) !== 0);
          assert.ok(human[slot] + bot[slot] <= 1);
          if (body[slot] === NO_BODY) continue;
          assert.notEqual(world.shape[body[slot]], 0);
          assert.equal(world.owner[body[slot]], slot, 'the body belongs to the slot');
        }
      }
      assert.ok(job.tick > 1000);
      assert.ok(players.joins >= game.players.max, `${players.joins} joined`);
    });

    test('without players it plays a demo, and ends', () => {
      if (game.players.max === 0) return;
      const { job, step, frame } = startSmall(game, 21);
      let most = 0;
      while (!job.done && job.tick < 60 * 1200) {
        step();
        if (job.tick % 60 === 0) most = Math.max(most, frame().bodies.count);
      }
      assert.ok(job.done);
      assert.equal(job.flow.phase, PHASE.matchOver);
      assert.ok(most > 0, 'there is something to see');
    });
  });
}

test('the simulation uses no function whose results differ between machines', () => {
  const banned =
    /\bMath\.(?!sqrt\b|abs\b|min\b|max\b|floor\b|clz32\b|ceil\b|round\b|imul\b|trunc\b|sign\b|PI\b)\w+|\bDate\b|performance\.|\*\*[^/*]/;
  const root = fileURLToPath(new URL('../../app', import.meta.url));
  const files = ['game', 'games'].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .map((file) => join(root, name, file)),
  );
  assert.ok(files.length > 15);
  for (const file of files) {
    const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    assert.equal(banned.exec(code)?.[0], undefined, file);
  }
});
