/** Checks the rules that every game must follow. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadGames } from '../../app/game/load-games.js';
import { BODY_STATE, NO_BODY, NO_OWNER, PHASE } from '../../app/game/frame.js';
import { decodeFrame } from '../support/decode-frame.js';
import { loadBundled } from '../support/bundled-game.js';
import { Pads, smallOptions, wild } from '../../bench/scenarios/bots/play.js';

const folder = fileURLToPath(new URL('../../app/games', import.meta.url));
/** @type {import('../../app/game/define.js').Game[]} */
const games = await loadGames(folder);
for (const name of readdirSync(folder)) {
  if (!existsSync(join(folder, name, 'package.json'))) continue;
  games.push((await loadBundled(name)).default);
}

/** How far a body may be from the corner of the world. */
const MAX_DISTANCE = 2500;
const ALL_STATES = Object.values(BODY_STATE).reduce((sum, bit) => sum | bit, 0);

/** @param {number} seed @returns {() => number} returns random int32 words */
function randomWords(seed) {
  let state = (seed * 2654435761) | 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state ^ (state << 13);
  };
}

/**
 * @param {import('../../app/game/define.js').Game} game
 * @param {number} seed
 */
function startSmall(game, seed) {
  const options = smallOptions(game);
  const job = game.start({ ...options, seed, match: 5 });
  const sizes = game.sizes(options);
  const bytes = new Uint8Array(sizes.frameBytes);
  const raw = () => bytes.slice(0, job.writeFrame(bytes));
  return { job, sizes, raw, frame: () => decodeFrame(raw()) };
}

for (const game of games) {
  describe(game.id, () => {
    test('its texts are short enough to read from a sofa, and its view is valid', () => {
      for (const text of [game.title, game.tagline, ...game.rules]) {
        assert.ok(text.length > 0 && text.length <= 70, text);
      }
      assert.ok(game.rules.length >= 1 && game.rules.length <= 4);
      const { stick, a, b } = game.controls;
      if (game.players.max > 0) assert.ok(stick || a || b, 'a control has a name');
      const { view } = game;
      assert.deepEqual(JSON.parse(JSON.stringify(view)), view, 'it can be sent as JSON');
    });

    test('the same seed and inputs give the same bytes, also after a restore', () => {
      const first = startSmall(game, 11);
      const second = startSmall(game, 11);
      const other = startSmall(game, 12);
      const late = startSmall(game, 999);
      const pads = new Pads(game.players.max);
      const players = [wild(1), wild(2), undefined, wild(3)].slice(0, game.players.max);
      const checkpoint = new Uint8Array(first.sizes.checkpointBytes);
      let differs = false;
      for (let tick = 0; tick < 2400; tick++) {
        players.forEach((player, slot) => player && pads.set(slot, player(first.job, slot, tick)));
        for (const { job } of [first, second, other]) job.step(pads.readWord, pads.readSequence);
        const seen = first.raw();
        assert.deepEqual(second.raw(), seen);
        differs ||= Buffer.compare(other.raw(), seen) !== 0;
        if (tick === 1000)
          late.job.restore(checkpoint.subarray(0, first.job.checkpoint(checkpoint)));
        if (tick > 1000) {
          late.job.step(pads.readWord, pads.readSequence);
          assert.deepEqual(late.raw(), seen, `tick ${tick}`);
        }
      }
      assert.ok(differs, 'a different seed gives a different match');
      assert.deepEqual(late.job.flow.world.bytes, first.job.flow.world.bytes);
    });

    test('any input words are harmless', () => {
      const { job, frame } = startSmall(game, 4);
      const next = randomWords(9);
      for (let tick = 0; tick < 6000 && !job.done; tick++) {
        job.step(next, next);
        if (tick % 10 !== 0) continue;
        const { world } = job.flow;
        const { bodies, players, extra } = frame();
        for (let id = 0; id < world.high; id++) {
          if (world.shape[id] === 0) continue;
          const sum = world.x[id] + world.y[id] + world.vx[id] + world.vy[id] + world.a[id];
          assert.ok(Number.isFinite(sum), `body ${id} at tick ${tick}`);
          const near = (/** @type {number} */ at) => Math.abs(at) < MAX_DISTANCE;
          assert.ok(near(world.x[id]) && near(world.y[id]), 'near the world');
        }
        for (let i = 0; i < bodies.count; i++) {
          assert.ok(bodies.kind[i] < game.view.kinds.length);
          assert.ok(bodies.owner[i] < game.players.max || bodies.owner[i] === NO_OWNER);
          assert.equal(bodies.state[i] & ~ALL_STATES, 0);
        }
        assert.equal(new Set(bodies.id).size, bodies.count, 'ids are unique');
        const ids = new Set(bodies.id);
        for (const { body } of players) assert.ok(body === NO_BODY || ids.has(body));
        assert.equal(extra.length, 4);
      }
    });

    test('all its events are in its view', () => {
      const { job, frame } = startSmall(game, 8);
      const next = randomWords(3);
      const types = new Set();
      for (let tick = 0; tick < 4000 && !job.done; tick++) {
        job.step(next, next);
        if (tick % 4 === 0) for (const { type } of frame().events) types.add(type);
      }
      for (const type of types) assert.ok(type < game.view.events.length);
      assert.ok(types.size >= Math.min(3, game.view.events.length), 'several types of events');
    });

    test('players may join and leave at any time', () => {
      if (game.players.max === 0) return;
      const { job, frame } = startSmall(game, 6);
      const slots = game.players.max;
      const pads = new Pads(slots);
      const next = randomWords(2);
      const there = new Array(slots).fill(false);
      const players = there.map((_, slot) => wild(slot));
      for (let tick = 0; tick < 9000 && !job.done; tick++) {
        if (tick % 40 === 0) there[(next() >>> 8) % slots] = (next() & 64) !== 0;
        if (tick % 3000 === 2500) there.fill(false);
        if (tick % 3000 === 2900) there.fill(true);
        for (let slot = 0; slot < slots; slot++) {
          pads.set(slot, there[slot] ? players[slot](job, slot, tick) : undefined);
        }
        job.step(pads.readWord, pads.readSequence);
        const flow = job.flow;
        for (let slot = 0; slot < slots; slot++) {
          assert.equal(flow.human[slot] === 1, there[slot]);
          assert.ok(flow.human[slot] + flow.bot[slot] <= 1);
          const id = flow.body[slot];
          if (id === NO_BODY) continue;
          assert.ok(
            flow.world.shape[id] !== 0 && flow.world.owner[id] === slot,
            'the body belongs to the slot',
          );
        }
      }
      assert.ok(frame().tick > 1000);
    });

    test('without players it plays a demo, and ends', () => {
      if (game.players.max === 0) return;
      const { job, frame } = startSmall(game, 21);
      const { readWord, readSequence } = new Pads(game.players.max);
      let most = 0;
      while (!job.done && job.tick < 60 * 1200) {
        job.step(readWord, readSequence);
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
