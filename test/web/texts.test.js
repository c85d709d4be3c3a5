import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHASE } from '../../app/game/frame.js';
import { FrameView } from '../../app/web/lib/frame-view.js';
import { hudText, placeText } from '../../app/web/pad/player-status.js';
import { clockText } from '../../app/web/lib/language.js';
import { listStandings } from '../../app/web/screen/scoreboard.js';
import { playersText } from '../../app/web/lib/games.js';
import { shortAddress } from '../../app/web/screen/lobby.js';
import { matchText, rankPlayers, roundNumber, roundText } from '../../app/web/screen/overlay.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { fitText } from '../../app/web/lib/fit-text.js';
import { frame } from './frames.js';

/** @param {Partial<import('../../app/web/screen/scoreboard.js').Standing>} some */
const standing = (some) => ({
  slot: 0,
  name: 'Ada',
  color: '#ff4d4d',
  shape: '#ff4d4d',
  team: -1,
  score: 0,
  alive: true,
  bot: false,
  winner: false,
  lead: false,
  away: false,
  replaced: false,
  ...some,
});

test('names and scores are combined from frame and slots', () => {
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
  const list = listStandings(view, slots, PLAYER_COLORS);
  assert.deepEqual(
    list.map(({ name, score, alive, bot, lead }) => ({ name, score, alive, bot, lead })),
    [
      { name: 'Ada', score: 3, alive: true, bot: false, lead: false },
      { name: 'Bot', score: 9, alive: false, bot: true, lead: true },
    ],
  );
});

test('equal scores share a place, and the next place is skipped', () => {
  const ranked = rankPlayers([5, 9, 9, 1].map((score, slot) => standing({ slot, score })));
  assert.deepEqual(
    ranked.map(({ slot }) => slot),
    [1, 2, 0, 3],
  );
  assert.deepEqual(
    ranked.map(({ place }) => place),
    [1, 1, 3, 4],
  );
});

test('the texts at the end of a round and of a match', () => {
  const ada = standing({ winner: true });
  const bob = standing({ slot: 1, name: 'Bob', alive: false });
  /** @param {string} round @param {...string} extra */
  const viewOf = (round, ...extra) => ({ round, extra });
  assert.equal(roundText([ada, bob], viewOf('Round')), 'Ada wins the round!');
  assert.equal(roundText([bob], viewOf('Wave')), 'Everybody is out');
  assert.equal(roundText([ada], viewOf('Wave')), 'Wave over');
  assert.equal(roundText([ada, { ...ada, slot: 1 }], viewOf('Round')), 'Round over');
  assert.equal(roundText([ada, bob], viewOf('')), 'Ada wins!', 'a game without rounds');
  assert.equal(roundText([bob], viewOf('')), 'Game over');
  assert.equal(
    roundText([ada, bob], viewOf('Wave', 'teamScore')),
    'Wave over',
    'nobody wins alone',
  );
  assert.equal(
    roundText([bob, { ...bob, slot: 2 }], viewOf('Wave', 'teamScore')),
    'Everybody is out',
  );
  const view = { kinds: [], events: [] };
  assert.equal(roundNumber(/** @type {any} */ (view), 2), 'Round 2');
  assert.equal(roundNumber(/** @type {any} */ ({ ...view, rounds: 5 }), 2), 'Round 2/5');
  assert.equal(roundNumber(/** @type {any} */ ({ ...view, round: '', rounds: 5 }), 2), '');
  assert.equal(matchText([ada, bob]), 'Ada wins!');
  assert.equal(matchText([ada]), 'You did it!');
  assert.equal(matchText([bob]), 'Game over');
  assert.equal(matchText([ada, standing({ slot: 1, winner: true }), bob]), 'A draw!');
});

test('the message on the phone depends on the phase', () => {
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
  assert.equal(hudText({ ...hud, phase: PHASE.roundOver }), 'Well done!');
  assert.equal(hudText({ ...hud, phase: PHASE.roundOver, team: 0, teamScores: [0, 1] }), '');
  assert.equal(hudText({ ...hud, phase: PHASE.matchOver, winner: true }), 'You won!');
  assert.equal(hudText({ ...hud, phase: PHASE.matchOver }), 'You are 2nd');
  const second = { ...hud, phase: PHASE.matchOver, team: 0, teamScores: [0, 1] };
  assert.equal(hudText(second), 'The others won', 'of two teams none is second');
  assert.equal(hudText({ ...hud, phase: PHASE.matchOver, lost: true }), 'Game over');
  assert.equal(hudText({ ...hud, phase: 77 }), '');
});

test('places, times, numbers of players and addresses are formatted', () => {
  const places = [1, 2, 3, 4, 11, 12, 13, 21, 102].map(placeText);
  assert.equal(places.join(), '1st,2nd,3rd,4th,11th,12th,13th,21st,102nd');
  assert.deepEqual([0, 6.1, 59, 60, 125].map(clockText), ['0', '7', '59', '1:00', '2:05']);
  assert.equal(playersText({ min: 2, max: 8 }), '2–8 players');
  assert.equal(playersText({ min: 0, max: 0 }), 'No players: just watch');
  assert.equal(shortAddress('http://10.0.0.7:8080/p?c=CYH87'), '10.0.0.7:8080/p');
  assert.equal(shortAddress('https://tv.example/p?c=CYH87'), 'https://tv.example/p');
  assert.equal(shortAddress(undefined), '');
});

test('a name that is too wide for the picture is cut between letters', () => {
  const letters = { measureText: (/** @type {string} */ text) => ({ width: [...text].length }) };
  assert.equal(fitText(letters, 'Ada', 3), 'Ada');
  assert.equal(fitText(letters, 'Adalbert', 4), 'Ada…');
  assert.equal(fitText(letters, '👍👍👍', 2), '👍…', 'a surrogate pair stays whole');
  assert.equal(fitText(letters, 'Ada', 0), '…');
});
