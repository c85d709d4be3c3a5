import assert from 'node:assert/strict';
import test from 'node:test';
import {
  findFrameProblem,
  frameLimitsOf,
  playerCount,
  readClock,
  readEvents,
  readInputSequence,
  readPhase,
  readPlayers,
} from '../../app/game/frame-reader.js';
import { makeFrame } from '../support/frame.js';

test('the fields read in place are those that were written', () => {
  const players = [
    { inputSequence: 0xffffffff, score: -5, flags: 3, gauge: 255, body: 9 },
    { inputSequence: 7, score: 2_000_000_000, flags: 1, gauge: 0, body: 0 },
  ];
  const frame = makeFrame({ players, phase: 2, timer: 291 });
  assert.equal(readPhase(frame), 2);
  assert.deepEqual(readClock(frame), { phase: 2, round: 2, seconds: 30 });
  assert.equal(playerCount(frame), 2);
  assert.deepEqual(readPlayers(frame), players);
  for (const slot of [0, 1]) {
    assert.equal(readInputSequence(frame, slot), players[slot].inputSequence);
  }
});

test('a truncated frame is not read beyond its end', () => {
  const frame = makeFrame({ players: [{}, {}], events: [{ sequence: 1 }, { sequence: 2 }] });
  for (let length = 0; length <= frame.length; length++) {
    const cut = frame.slice(0, length);
    assert.ok(readPlayers(cut).length <= 2);
    let events = 0;
    readEvents(cut, -1, () => events++);
    assert.ok(events <= 2);
    assert.equal(readPhase(cut), length < 24 ? -1 : 1);
  }
});

test('each new event is reported once, also when the numbers wrap around or go back', () => {
  let seen = -1;
  /** @type {string[]} */
  const reported = [];
  const read = (/** @type {number[]} */ ...sequences) => {
    const events = sequences.map((sequence, type) => ({
      sequence: sequence & 0xffff,
      type,
      owner: 3,
    }));
    seen = readEvents(makeFrame({ events }), seen, ({ type, owner }) =>
      reported.push(`${type} of ${owner}`),
    );
  };
  read(65533, 65534);
  assert.deepEqual(reported, [], 'the events of the first frame are old');
  read(65533, 65534, 65535, 65536);
  assert.deepEqual(reported.splice(0), ['2 of 3', '3 of 3']);
  read(65534, 65535, 65536);
  read();
  assert.deepEqual(reported, []);
  read(65536, 65537);
  assert.deepEqual(reported.splice(0), ['1 of 3']);
  read(65534, 65535); // after a restart from a checkpoint
  assert.deepEqual(reported, []);
  read(65535, 65536);
  assert.deepEqual(reported.splice(0), ['1 of 3']);
  seen = -1;
  read(); // the match begins
  read(0);
  assert.deepEqual(reported, ['0 of 3']);
});

test('a frame of others has at most as many events as one of defineGame()', () => {
  const limits = frameLimitsOf({ players: { max: 0 }, view: { kinds: [{}], events: [{}] } });
  const events = Array.from({ length: 17 }, (_, sequence) => ({ sequence }));
  assert.equal(findFrameProblem(makeFrame({ events: events.slice(1) }), limits), undefined);
  const problem = findFrameProblem(makeFrame({ events }), limits);
  assert.equal(problem, 'it has 17 events, more than 16');
});

test('a frame of others has no negative sizes, except those of lines', () => {
  const kinds = [{ look: 'box' }, { look: 'ball' }, { look: 'wall' }];
  const limits = frameLimitsOf({ players: { max: 0 }, view: { kinds, events: [] } });
  for (const [kind, { look }] of kinds.entries()) {
    for (const size of [{ b: -0.0625 }, { a: -2048 }, { a: -1, b: -Infinity }]) {
      const body = { id: 1, x: 0, y: 0, kind, a: 300, b: 300, ...size };
      const problem = findFrameProblem(makeFrame({ bodies: [body] }), limits);
      const expected = `a body of kind ${kind} has a negative size`;
      assert.equal(problem, look === 'wall' ? undefined : expected);
    }
    const whole = { id: 1, x: 0, y: 0, kind, a: 2047, b: 0 };
    assert.equal(findFrameProblem(makeFrame({ bodies: [whole] }), limits), undefined);
  }
});
