/** Making a clip takes nothing from the matches that run, nor from the screens that show them. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import test from 'node:test';
import busy from '../support/busy.js';
import { Client, startTv, until } from '../support/tv.js';

const ROUNDS = 5;
const TICKS = 60;
/**
 * It is about 1. A clip that is not niced leaves 0.3 to 0.7 of both, the less the fewer others want the
 * cores; one that is filmed on the main thread 0.5 of the frames.
 */
const LEAST_SHARE = 0.75;

const game = /** @type {import('../../app/lobby/catalog.js').Game} */ (
  /** @type {unknown} */ ({
    ...busy,
    url: new URL('../support/busy.js', import.meta.url).href,
    hash: 'b'.repeat(64),
  })
);

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

test('as many busy matches as cores keep their rate while a clip of one is made, and so do the screens', async (t) => {
  const args = ['--engine', 'process'];
  const clips = { limits: { everyMs: 0 } };
  const limits = { emptyMs: 600_000 };
  const tv = await startTv(t, { args, games: [game], clips, limits });
  const screen = await Client.screen(tv);
  /** @type {import('../../app/match/match.js').Match[]} */
  const matches = [];
  for (let i = 0; i < Math.min(8, availableParallelism()); i++) {
    matches.push((await tv.lobby.start('busy', { owner: 'test' })).match);
  }
  await screen.next('watch', ({ match }) => match !== null);
  await until(() => matches.every(({ ticks }) => ticks > 150), 'something to film');

  /** @param {() => boolean} [goesOn] @returns {Promise<{ticks: number, frames: number}>} a second */
  async function rates(goesOn = () => true) {
    const before = matches.map(({ ticks }) => ticks);
    const { frames } = screen;
    const began = performance.now();
    const done = () => matches.every(({ ticks }, i) => ticks >= before[i] + TICKS);
    await until(() => done() || !goesOn(), `${TICKS} ticks`);
    const seconds = (performance.now() - began) / 1000;
    assert.ok(goesOn(), 'the clip was being made all the time');
    const ticks = matches.reduce((sum, match, i) => sum + match.ticks - before[i], 0);
    return { ticks: ticks / seconds, frames: (screen.frames - frames) / seconds };
  }

  const shares = { ticks: /** @type {number[]} */ ([]), frames: /** @type {number[]} */ ([]) };
  for (let round = 0; round < ROUNDS; round++) {
    const without = await rates();
    // At once: to load its code takes as much of a core as its pictures.
    const clip = await tv.clips.start(matches[0], { height: 1080, owner: 'test' });
    const during = await rates(() => clip.state === 'making');
    await tv.clips.remove(clip.id);
    shares.ticks.push(during.ticks / without.ticks);
    shares.frames.push(during.frames / without.frames);
  }
  t.diagnostic(JSON.stringify(shares));
  assert.ok(median(shares.ticks) > LEAST_SHARE, `ticks: ${shares.ticks}`);
  assert.ok(median(shares.frames) > LEAST_SHARE, `frames: ${shares.frames}`);
});
