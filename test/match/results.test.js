import assert from 'node:assert/strict';
import test from 'node:test';
import { PLAYER_FLAG, TEAM_SHIFT } from '../../app/game/frame.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { describeEnd, placeOf, scoresOf } from '../../app/match/results.js';
import { makeFrame } from '../support/frame.js';

const { present, bot, winner, team } = PLAYER_FLAG;
const [reds, blues] = [0, 1].map((number) => number << TEAM_SHIFT);
const ann = { id: 7, name: 'Ann', color: PLAYER_COLORS[4] };
const seats = /** @type {any} */ ({ playerAt: (/** @type {number} */ slot) => [ann][slot] });
const frame = makeFrame({
  players: [
    [0, 2, present | blues | winner, 0],
    [0, 5, bot | reds, 0],
    [0, 0, 0, 0],
    [0, 1, team | reds, 0],
    [0, 3, team | blues | winner, 0],
  ],
});

test('the results of a game with teams have the teams, and the team of each player', () => {
  const teams = [
    { name: 'Reds', color: '#ff4d4d' },
    { name: 'Blues', color: '#4da3ff' },
  ];
  const end = describeEnd('done', scoresOf(frame, seats, teams));
  assert.deepEqual(end.teams, [
    { name: 'Reds', color: '#ff4d4d', score: 1, winner: false },
    { name: 'Blues', color: '#4da3ff', score: 3, winner: true },
  ]);
  assert.deepEqual(end.results, [
    { player: null, name: 'Bot', color: PLAYER_COLORS[1], score: 5, winner: false, team: 0 },
    { player: 7, name: 'Ann', color: ann.color, score: 2, winner: true, team: 1 },
  ]);
  const places = end.results.map((result) => placeOf(result, end));
  assert.deepEqual(places, [2, 1], 'places are those of the teams');
});
