/** Tests what screens on a slow network get: the newest frames, and only what they can read. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DifferenceReader } from '../../app/game/difference-reader.js';
import { FRAME_TYPE, HEADER_AT } from '../../app/game/frame.js';
import { Client, metricsOf, startTv, until } from '../support/tv.js';

const SKIPPED = 'pitv_frames_skipped_total';
const FRAMES = 60;

/**
 * Reads the frames of a screen.
 * @param {Client} screen
 * @returns {{ticks: number[], whole: number, lost: number}} whole: number of messages with a whole frame; lost: of
 *   those that the screen could not read
 */
function readFrames(screen) {
  const reader = new DifferenceReader();
  const read = { ticks: /** @type {number[]} */ ([]), whole: 0, lost: 0 };
  screen.socket.on('message', (data, isBinary) => {
    if (!isBinary) return;
    const bytes = new Uint8Array(/** @type {Buffer} */ (data));
    if (bytes[HEADER_AT.type] === FRAME_TYPE) read.whole++;
    const frame = reader.read(bytes.buffer);
    if (frame) read.ticks.push(new DataView(frame).getUint32(HEADER_AT.tick, true));
    else read.lost++;
  });
  return read;
}

/** @param {number[]} ticks @returns {number} of the longest gap */
const longestGap = (ticks) => Math.max(...ticks.slice(1).map((tick, i) => tick - ticks[i]));

test('a screen that could not read for a while gets the newest frame, as a difference from the last ones that it got', async (t) => {
  const tv = await startTv(t);
  const slow = await Client.screen(tv, { differences: true });
  const fast = await Client.screen(tv, { differences: true });
  const [slowFrames, fastFrames] = [readFrames(slow), readFrames(fast)];
  slow.send({ t: 'start', game: 'collide', options: { bodies: 100 } });
  await Promise.all([slow.moreFrames(FRAMES), fast.moreFrames(FRAMES)]);
  slow.socket.pause();
  const skipped = (await metricsOf(tv)).get(SKIPPED) ?? 0;
  await until(
    async () => ((await metricsOf(tv)).get(SKIPPED) ?? 0) >= skipped + FRAMES,
    'frames that are skipped',
  );
  slow.socket.resume();
  await slow.moreFrames(FRAMES);
  assert.ok(longestGap(slowFrames.ticks) > FRAMES, `skipped frames were sent later`);
  for (const { whole, lost } of [slowFrames, fastFrames]) {
    assert.equal(lost, 0);
    assert.equal(whole, 2, 'only the first two frames are sent as a whole');
  }
  assert.deepEqual(
    [...slowFrames.ticks].sort((a, b) => a - b),
    slowFrames.ticks,
  );
});
