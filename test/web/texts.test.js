import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHASE } from '../../app/game/frame.js';
import { FrameView } from '../../app/web/lib/frame-view.js';
import { hudText, placeText } from '../../app/web/pad/player-status.js';
import { clockText } from '../../app/web/lib/language.js';
import { listStandings, roundLine } from '../../app/web/screen/scoreboard.js';
import { newsText } from '../../app/web/lib/reports.js';
import { playersText } from '../../app/web/lib/games.js';
import { shortAddress } from '../../app/web/screen/lobby.js';
import { matchText, rankPlayers, roundNumber, roundText } from '../../app/web/screen/overlay.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { fitText } from '../../app/web/lib/canvas.js';
import { makeFrame } from '../support/frame.js';

const [present, alive, bot] = [1, 2, 4];
const players = [
  { score: 3, flags: present | alive },
  { score: 9, flags: bot },
  { score: 0, flags: 0 },
];
const slots = [{ slot: 0, player: { id: 1, name: 'Ada', color: PLAYER_COLORS[0] } }];
const view = new FrameView(makeFrame({ players }).buffer);
const standings = listStandings(view, slots, PLAYER_COLORS);
/** @param {Partial<import('../../app/web/screen/scoreboard.js').Standing>} some */
const standing = (some) => ({ ...standings[0], ...some });

test('an extra number may have any name', () => {
  const extra = ['constructor', '__proto__', 'toString', 'left'];
  const frame = /** @type {any} */ ({ round: 0, extra: [1, 2, 3, 4] });
  assert.match(roundLine(frame, /** @type {any} */ ({ extra })), /^4\b[^·]*$/);
});

test('names and scores are combined from frame and slots', () => {
  const list = standings.map((one) => [one.name, one.score, one.alive, one.bot, one.lead]);
  assert.deepEqual(list, [
    ['Ada', 3, true, false, false],
    ['Bot', 9, false, true, true],
  ]);
});

test('a player who is away stays in the list, also where no bot plays for one', () => {
  const player = { id: 1, name: 'Bo', color: PLAYER_COLORS[1], away: true };
  const away = [1, 2].map((slot) => ({ slot, player }));
  const list = listStandings(view, away, PLAYER_COLORS).slice(1);
  const states = list.map((one) => [one.name, one.away, one.bot, one.alive, one.replaced]);
  const state = ['Bo', true, false, false];
  assert.deepEqual(states, [state.concat(true), state.concat(false)]);
});

test('of many people, three are named', () => {
  const draw = (/** @type {string} */ names) =>
    newsText({ award: 'draw', people: /** @type {any} */ ([...names].map((name) => ({ name }))) });
  assert.equal(draw('ABCDE'), 'A, B, C, 2 more: a draw. Nobody may brag.');
  assert.equal(draw('ABC'), 'A, B, C: a draw. Nobody may brag.');
});

test('equal scores share a place, and the next place is skipped', () => {
  const ranked = rankPlayers([5, 9, 9, 1].map((score, slot) => standing({ slot, score })));
  const places = ranked.map(({ slot, place }) => `${slot}: ${place}`);
  assert.deepEqual(places, ['1: 1', '2: 1', '0: 3', '3: 4']);
});

test('the texts at the end of a round and of a match', () => {
  const ada = standing({ winner: true });
  const bob = standing({ slot: 1, name: 'Bob', alive: false });
  const viewOf = (/** @type {string} */ round) => ({ round, extra: [] });
  const together = { round: 'Wave', extra: ['teamScore'] };
  assert.equal(roundText([ada, bob], viewOf('Round')), 'Ada wins the round!');
  assert.equal(roundText([bob], viewOf('Wave')), 'Everybody is out');
  assert.equal(roundText([ada], viewOf('Wave')), 'Wave over');
  assert.equal(roundText([ada, { ...ada, slot: 1 }], viewOf('Round')), 'Round over');
  assert.equal(roundText([ada, bob], viewOf('')), 'Ada wins!', 'a game without rounds');
  assert.equal(roundText([bob], viewOf('')), 'Game over');
  assert.equal(roundText([ada, bob], together), 'Wave over', 'nobody wins alone');
  assert.equal(roundText([bob, { ...bob, slot: 2 }], together), 'Everybody is out');
  const number = (/** @type {any} */ view) => roundNumber(view, 2);
  const numbers = [{}, { rounds: 5 }, { round: '', rounds: 5 }].map(number);
  assert.deepEqual(numbers, ['Round 2', 'Round 2/5', '']);
  assert.equal(matchText([ada, bob]), 'Ada wins!');
  assert.equal(matchText([ada]), 'You did it!');
  assert.equal(matchText([bob]), 'Game over');
  assert.equal(matchText([ada, standing({ slot: 1, winner: true }), bob]), 'A draw!');
});

test('the message on the phone depends on the phase', () => {
  const state = { score: 0, alive: true, gauge: 255, round: 1, seconds: 3, winner: false };
  const hud = (/** @type {number} */ phase, more = {}) =>
    hudText({ ...state, rank: 2, phase, ...more });
  const teams = { team: 0, teamScores: [0, 1] };
  assert.equal(hud(PHASE.ready), 'Get ready: 3');
  assert.equal(hud(PHASE.play), '');
  assert.equal(hud(PHASE.play, { alive: false }), 'Out! Look at the TV.');
  assert.equal(hud(PHASE.roundOver), 'Well done!');
  assert.equal(hud(PHASE.roundOver, teams), '');
  assert.equal(hud(PHASE.matchOver, { winner: true }), 'You won!');
  assert.equal(hud(PHASE.matchOver, { winner: true, draw: true }), 'A draw!');
  assert.equal(hud(PHASE.matchOver), 'You are 2nd');
  assert.equal(hud(PHASE.matchOver, teams), 'The others won', 'of two teams none is second');
  assert.equal(hud(PHASE.matchOver, { lost: true }), 'Game over');
  assert.equal(hud(77), '');
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
