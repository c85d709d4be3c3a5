import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHASE } from '../../app/game/frame.js';
import { FrameView } from '../../app/web/lib/frame-view.js';
import { hudText, ordinal } from '../../app/web/pad/player-status.js';
import { clockText, standings } from '../../app/web/screen/scoreboard.js';
import { playersText, shortAddress } from '../../app/web/screen/lobby.js';
import { matchText, ranking, roundText } from '../../app/web/screen/overlay.js';
import { PLAYER_COLORS } from '../../app/web/lib/player-colors.js';
import { frame } from './frames.js';

/** @param {Partial<import('../../app/web/screen/scoreboard.js').Standing>} some */
const standing = (some) => ({
  slot: 0,
  name: 'Ada',
  color: '#ff4d4d',
  score: 0,
  alive: true,
  bot: false,
  winner: false,
  lead: false,
  ...some,
});

test('who is shown with which score comes from frame and slots together', () => {
  const view = new FrameView(
    frame({
      tick: 1,
      players: [
        { score: 3, flags: 1 | 2 },
        { score: 9, flags: 4 },
        { score: 0, flags: 0 },
      ],
    }),
  );
  const slots = [{ slot: 0, player: { id: 1, name: 'Ada', color: PLAYER_COLORS[0] } }];
  const list = standings(view, slots, PLAYER_COLORS);
  assert.deepEqual(
    list.map(({ name, score, alive, bot, lead }) => ({ name, score, alive, bot, lead })),
    [
      { name: 'Ada', score: 3, alive: true, bot: false, lead: false },
      { name: 'Bot', score: 9, alive: false, bot: true, lead: true },
    ],
  );
});

test('equals share a place, and the next one is left out', () => {
  const ranked = ranking([5, 9, 9, 1].map((score, slot) => standing({ slot, score })));
  assert.deepEqual(
    ranked.map(({ slot, place }) => [slot, place]),
    [
      [1, 1],
      [2, 1],
      [0, 3],
      [3, 4],
    ],
  );
});

test('the end of a round and of a match is said in words', () => {
  const ada = standing({ winner: true });
  const bob = standing({ slot: 1, name: 'Bob', alive: false });
  assert.equal(roundText([ada, bob], 'Round'), 'Ada takes the round!');
  assert.equal(roundText([bob], 'Wave'), 'Wave over');
  assert.equal(matchText([ada, bob]), 'Ada wins!');
  assert.equal(matchText([ada]), 'You did it!');
  assert.equal(matchText([bob]), 'Game over');
  assert.equal(matchText([ada, standing({ slot: 1, winner: true }), bob]), 'A draw!');
});

test('a phone says what its player has to know', () => {
  const hud = {
    score: 0,
    rank: 2,
    alive: true,
    gauge: 255,
    phase: 0,
    round: 1,
    seconds: 3,
    winner: false,
  };
  assert.equal(hudText({ ...hud, phase: PHASE.ready }), 'Get ready: 3');
  assert.equal(hudText({ ...hud, phase: PHASE.play }), '');
  assert.equal(hudText({ ...hud, phase: PHASE.play, alive: false }), 'Out! Look at the TV.');
  assert.equal(hudText({ ...hud, phase: PHASE.matchOver, winner: true }), 'You won!');
  assert.equal(hudText({ ...hud, phase: PHASE.matchOver }), 'You are 2nd');
  assert.equal(hudText({ ...hud, phase: 77 }), '');
});

test('places, clocks, player ranges and addresses are written as people write them', () => {
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 102].map(ordinal), [
    '1st',
    '2nd',
    '3rd',
    '4th',
    '11th',
    '12th',
    '13th',
    '21st',
    '102nd',
  ]);
  assert.deepEqual([0, 6.1, 59, 60, 125].map(clockText), ['0', '7', '59', '1:00', '2:05']);
  assert.equal(playersText({ min: 2, max: 8 }), '2–8 players');
  assert.equal(playersText({ min: 0, max: 0 }), 'Nobody plays: just watch');
  assert.equal(shortAddress('http://10.0.0.7:8080/p?c=CYH87'), '10.0.0.7:8080/p');
  assert.equal(shortAddress('https://tv.example/p?c=CYH87'), 'https://tv.example/p');
  assert.equal(shortAddress(undefined), '');
});
