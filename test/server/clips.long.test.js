/** Tests that making a clip does not slow down running matches and their screens. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import test from 'node:test';
import busy from '../support/busy.js';
import { Client, startTv, until } from '../support/tv.js';

const ROUNDS = 5;
const TICKS = 60;
/**
 * Minimum share of the ticks and frames during a clip; about 1 is expected. A renderer with normal priority leaves 0.3
 * to 0.7 of both, and one on the main thread 0.5 of the frames.
 */
const MIN_SHARE = 0.75;

const game = /** @type {import('../../app/lobby/catalog.js').Game} */ (
  /** @type {unknown} */ ({
    ...busy,
    url: new URL('../support/busy.js', import.meta.url).href,
    hash: 'b'.repeat(64),
  })
);

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

test('busy matches on all cores and their screens keep their rate while a clip is made', async (t) => {
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
  await until(() => matches.every(({ ticks }) => ticks > 150), 'ticks to record');

  /** @param {() => boolean} [isMaking] @returns {Promise<{ticks: number, frames: number}>} per second */
  async function rates(isMaking = () => true) {
    const before = matches.map(({ ticks }) => ticks);
    const { frames } = screen;
    const began = performance.now();
    const done = () => matches.every(({ ticks }, i) => ticks >= before[i] + TICKS);
    await until(() => done() || !isMaking(), `${TICKS} ticks`);
    const seconds = (performance.now() - began) / 1000;
    assert.ok(isMaking(), 'the clip was being made all the time');
    const ticks = matches.reduce((sum, match, i) => sum + match.ticks - before[i], 0);
    return { ticks: ticks / seconds, frames: (screen.frames - frames) / seconds };
  }

  const shares = { ticks: /** @type {number[]} */ ([]), frames: /** @type {number[]} */ ([]) };
  for (let round = 0; round < ROUNDS; round++) {
    const without = await rates();
    // Measures from the start: loading the renderer's code uses as much of a core as rendering.
    const clip = await tv.clips.start(matches[0], { height: 1080, owner: 'test' });
    const during = await rates(() => clip.state === 'making');
    await tv.clips.remove(clip.id);
    shares.ticks.push(during.ticks / without.ticks);
    shares.frames.push(during.frames / without.frames);
  }
  t.diagnostic(JSON.stringify(shares));
  assert.ok(median(shares.ticks) > MIN_SHARE, `ticks: ${shares.ticks}`);
  assert.ok(median(shares.frames) > MIN_SHARE, `frames: ${shares.frames}`);
});
