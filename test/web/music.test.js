/** Music as data, and when the browser is given something to play. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCALES, compose } from '../../app/web/lib/music.js';
import { Sound } from '../../app/web/lib/sound.js';

const GAMES = ['lobby', 'bumper', 'swarm', 'kick-off', 'ducklings', 'rally', 'a-game-of-others'];

test('each game has its own music, which is always the same', () => {
  for (const id of GAMES) assert.deepEqual(compose(id), compose(id));
  const all = GAMES.map((id) => JSON.stringify(compose(id).voices));
  assert.equal(new Set(all).size, GAMES.length);
});

test('the notes are of one scale, in order within the loop, and not too loud together', () => {
  for (const id of GAMES) {
    const { loopMs, voices } = compose(id);
    const starts = voices.map(({ afterMs = 0 }) => afterMs);
    assert.ok(starts.every((start, i) => i === 0 || start >= starts[i - 1]));
    assert.ok(starts[0] === 0 && Math.max(...starts) < loopMs);
    const notes = voices.filter(({ from, to, wave }) => from === to && wave !== 'noise');
    const keys = notes.map(({ from }) => Math.round(69 + 12 * Math.log2(from / 440)));
    const isIn = (/** @type {number} */ root) =>
      SCALES.some((scale) => keys.every((key) => scale.includes((key - root) % 12)));
    assert.ok([...Array(12).keys()].some(isIn), id);
    for (const at of starts) {
      const heard = voices.filter(({ afterMs = 0, ms }) => afterMs <= at && at < afterMs + ms);
      assert.ok(heard.reduce((sum, { level }) => sum + level, 0) < 1.2, id);
    }
  }
});

test('music begins after a touch if the browser allows it, and stays off once it is off', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let started = 0;
  /** Stands for all nodes of the graph. @type {any} */
  const node = new Proxy(() => node, {
    get(_target, name) {
      if (name === 'start') started++;
      return name === Symbol.toPrimitive ? () => 0 : node;
    },
  });
  const context = { currentTime: 0, state: 'suspended', resume: () => Promise.reject(new Error()) };
  const Context = function AudioContext() {
    return new Proxy(context, { get: (target, name) => Reflect.get(target, name) ?? node });
  };
  const items = new Map();
  const localStorage = { getItem: items.get.bind(items), setItem: items.set.bind(items) };
  Object.assign(globalThis, { AudioContext: Context, localStorage });
  t.after(() => Object.assign(globalThis, { AudioContext: undefined, localStorage: undefined }));
  /** Returns how many voices start in a second. */
  const startedInSecond = () => {
    const before = started;
    for (let i = 0; i < 5; i++) {
      context.currentTime += 0.2;
      t.mock.timers.tick(200);
    }
    return started - before;
  };

  const sound = new Sound();
  sound.setMusic('bumper');
  sound.unlock();
  assert.equal(startedInSecond(), 0, 'the browser forbids it');
  context.state = 'running';
  assert.ok(startedInSecond() > 0);
  context.currentTime += 60; // the page was hidden
  const after = startedInSecond();
  assert.ok(after > 0 && after < 100, `${after} voices at once`);
  sound.toggleMusic();
  assert.equal(startedInSecond(), 0);
  assert.equal(new Sound().musicEnabled, false);
  sound.changeVolume();
  assert.equal(new Sound().volume, 100);
});
