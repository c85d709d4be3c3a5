/** Files of replays: whole, malformed, truncated and huge ones. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { DifferenceWriter } from '../../app/game/difference-writer.js';
import { MAX_REPLAY_BYTES, ReplayError, readReplay } from '../../app/game/replay-file.js';
import bumper from '../../app/games/bumper.js';
import { Replays } from '../../app/server/replays.js';
import { startMatch } from '../support/bundled-game.js';

const TICKS = 60 * 30;
const LIMITS = { seconds: 5, bytes: 64 * 1024, allBytes: 96 * 1024, keptMs: 0 };

/** Makes frames of a match with bots. @param {number} ticks @returns {Uint8Array[]} */
function play(ticks) {
  const { step, raw } = startMatch(bumper, [], { seed: 1 });
  return Array.from({ length: ticks }, () => {
    step();
    return raw();
  });
}
const frames = play(TICKS);
const matchOf = (/** @type {number} */ id) =>
  /** @type {any} */ ({ id, game: { ...bumper, hash: 'v1' }, seats: { slots: [] } });

const open = () => new Replays(new EventEmitter(), LIMITS);

/** @param {Replays} replays @param {any} match @param {Uint8Array[]} [some] */
function record(replays, match, some = frames) {
  const writer = new DifferenceWriter();
  for (const frame of some) replays.record(match, frame, writer.write(frame));
}

/** @param {Replays} replays @param {number} id */
function fileOf(replays, id) {
  const bytes = Buffer.concat(replays.get(id)?.parts ?? []);
  return new Uint8Array(bytes).buffer;
}

test('the last seconds of a match are kept, within their memory, and restored byte by byte', () => {
  const replays = open();
  record(replays, matchOf(7));
  assert.ok(replays.usedBytes <= LIMITS.bytes, `${replays.usedBytes} bytes`);
  const { match, game, frames: kept } = readReplay(fileOf(replays, 7));
  assert.deepEqual([match, game.id], [7, 'bumper']);
  assert.ok(kept.length > 60 && kept.length <= (LIMITS.seconds + 2) * 60, `${kept.length} frames`);
  for (const [i, { bytes }] of kept.entries()) {
    assert.deepEqual(new Uint8Array(bytes), frames[TICKS - kept.length + i]);
  }
});

test('a replay that is being sent stays as it is while the match goes on', () => {
  const replays = open();
  const match = matchOf(1);
  record(replays, match, frames.slice(0, TICKS / 2));
  const { parts } = replays.get(1) ?? { parts: [] };
  const before = Buffer.concat(parts);
  record(replays, match, frames.slice(TICKS / 2));
  assert.deepEqual(Buffer.concat(parts), before);
});

test('a replay begins again after a gap and after a restart from a checkpoint', () => {
  const replays = open();
  record(replays, matchOf(1), [...frames.slice(0, 100), ...frames.slice(300, 400)]);
  assert.equal(readReplay(fileOf(replays, 1)).frames.length, 100);
  record(replays, matchOf(1), [...frames.slice(0, 90), ...frames.slice(40, 60)]);
  assert.equal(readReplay(fileOf(replays, 1)).frames.length, 20);
});

test('all matches share a limit, and the replay with the most gives way', () => {
  const replays = open();
  for (let id = 1; id <= 4; id++) record(replays, matchOf(id));
  assert.ok(replays.usedBytes <= LIMITS.allBytes, `${replays.usedBytes} bytes`);
  for (let id = 1; id <= 4; id++) readReplay(fileOf(replays, id));
});

test('many short matches take no more memory, and nothing from the replay of one that runs', () => {
  const replays = open();
  record(replays, matchOf(1), frames.slice(0, 300));
  const { byteLength } = fileOf(replays, 1);
  for (let id = 2; id <= 100; id++) {
    const match = matchOf(id);
    record(replays, match, frames.slice(0, 30));
    match.end = { reason: 'stopped' };
  }
  const block = LIMITS.bytes / 4; // the last one grows after its beginning
  assert.ok(replays.usedBytes <= LIMITS.allBytes + block, `${replays.usedBytes} bytes`);
  assert.equal(fileOf(replays, 1).byteLength, byteLength);
  assert.equal(readReplay(fileOf(replays, 100)).frames.length, 30);
});

test('the replay of a match is forgotten some time after its end', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lobby = new EventEmitter();
  const replays = new Replays(lobby, { ...LIMITS, keptMs: 1000 });
  const match = matchOf(1);
  record(replays, match);
  lobby.emit('ended', match);
  t.mock.timers.tick(999);
  assert.ok(replays.get(1));
  t.mock.timers.tick(1);
  assert.equal(replays.get(1), undefined);
  assert.equal(replays.usedBytes, 0);
});

test('malformed, truncated and huge files are refused with a sentence', () => {
  const replays = open();
  record(replays, matchOf(1), frames.slice(0, 20));
  const whole = new Uint8Array(fileOf(replays, 1));
  /** Reads a file that may be valid. @param {Uint8Array} bytes @returns {string} why it is refused */
  const read = (bytes) => {
    try {
      readReplay(new Uint8Array(bytes).buffer);
    } catch (error) {
      if (error instanceof ReplayError) return error.message;
      throw error;
    }
    return '';
  };
  assert.match(read(new Uint8Array(0)), /no replay/);
  assert.match(read(Buffer.from('\x00\x00\x00\x18ftypmp42................')), /no replay/);
  assert.match(read(Buffer.concat([whole, Buffer.alloc(MAX_REPLAY_BYTES)])), /too large/);
  assert.match(read(whole.with(8, 9)), /version 9/);
  for (let end = whole.length - 1; end > 16; end -= 7) read(whole.subarray(0, end));
  for (let at = 0; at < whole.length; at++) read(whole.with(at, whole[at] ^ 0x55));
});
