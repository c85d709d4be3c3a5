import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYER_FLAG, TEAM_SHIFT } from '../../app/game/frame.js';
import { FrameView } from '../../app/web/lib/frame-view.js';
import { translateGame } from '../../app/web/lib/games.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { bodyColors, listTeams, teamsKey } from '../../app/web/lib/teams.js';
import { scoreText } from '../../app/web/pad/player-status.js';
import { countLeft, listStandings } from '../../app/web/screen/scoreboard.js';
import { arrangePodium, matchText, roundText } from '../../app/web/screen/overlay.js';
import { makeFrame } from '../support/frame.js';

const { present, alive, bot, winner, team } = PLAYER_FLAG;
const TEAMS = [
  { name: 'Reds', color: '#ff4d4d' },
  { name: 'Blues', color: '#4da3ff' },
];
const ADA = { id: 1, name: 'Ada', color: PLAYER_COLORS[6] };
const SLOTS = [{ slot: 0, player: ADA }];
const viewOf = (/** @type {string} */ round) => ({ round, extra: [] });

/**
 * @param {number[]} slots team by slot, -1 for nobody @param {number[]} [scores] by team
 * @param {number} [best] the team that won
 */
function view(slots, scores = [2, 5], best = -1) {
  const players = slots.map((number, slot) => ({
    score: slot,
    flags: number < 0 ? 0 : (slot === 0 ? present : bot) | alive | (number << TEAM_SHIFT),
  }));
  const records = scores.map((score, number) => ({
    score,
    flags: team | (number << TEAM_SHIFT) | (number === best ? winner : 0),
  }));
  return new FrameView(makeFrame({ players: [...players, ...records] }).buffer);
}

test('bodies have the colour of their team, and players keep their shape', () => {
  const shown = view([1, 0, -1, 0]);
  const colors = bodyColors(shown, TEAMS, PLAYER_COLORS);
  assert.deepEqual(colors.slice(0, 4), ['#4da3ff', '#ff4d4d', PLAYER_COLORS[2], '#ff4d4d']);
  assert.equal(bodyColors(shown, [], PLAYER_COLORS), PLAYER_COLORS);
  const own = [ADA.color, ...PLAYER_COLORS.slice(1)];
  const list = listStandings(shown, SLOTS, own, TEAMS);
  const looks = list.map((one) => [one.slot, one.name, one.color, one.shape, one.team]);
  const expected = [
    [1, 'Bot', '#ff4d4d', own[1], 0],
    [3, 'Bot', '#ff4d4d', own[3], 0],
    [0, 'Ada', '#4da3ff', ADA.color, 1],
  ];
  assert.deepEqual(looks, expected, 'teammates stand side by side');
  assert.equal(countLeft(list, 2), 2);
  assert.equal(countLeft(list, 0), 2, 'half of the players in a game without teams');
});

test('the key changes when somebody joins, leaves or changes the team', () => {
  const slots = ['0,1', '1,1', '0,-1', '-1,0', '0,1,0'];
  const keys = slots.map((each) => teamsKey(view(each.split(',').map(Number)), TEAMS));
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(teamsKey(view([0, 1], [9, 9]), TEAMS), keys[0], 'scores do not matter');
  assert.equal(teamsKey(view([0, 1]), []), teamsKey(view([1, 1]), []), 'a game without teams');
});

test('the scores of teams come from their records, and a frame without them is harmless', () => {
  const teams = listTeams(view([0, 1], [2, 5], 1), TEAMS);
  const records = teams.map((each) => `${each.name} ${each.score} ${each.winner}`);
  assert.deepEqual(records, ['Reds 2 false', 'Blues 5 true']);
  const without = listTeams(view([0, 1], []), TEAMS).map(({ score }) => score);
  assert.deepEqual(without, [0, 0]);
  assert.deepEqual(listTeams(view([3, 3], [1, 2, 3, 4]), TEAMS).length, 2);
  assert.deepEqual(listTeams(view([0, 1]), []), []);
});

test('the podium and the texts at the end are those of the teams', () => {
  const shown = view([0, 1, 0], [4, 1], 0);
  const teams = listTeams(shown, TEAMS);
  const players = listStandings(shown, SLOTS, PLAYER_COLORS, TEAMS);
  const { steps, rest } = arrangePodium(players, teams);
  const places = steps.map(({ name, place }) => `${place}: ${name}`);
  assert.deepEqual(places, ['1: Reds', '2: Blues']);
  const others = rest.map(({ slot }) => slot);
  assert.deepEqual(others, [2, 1, 0], 'players by their own score');
  assert.equal(matchText(players, teams), 'Victory for Reds!');
  const both = teams.map((each) => ({ ...each, winner: true }));
  assert.equal(matchText(players, both), 'A draw!');
  assert.equal(roundText(players, viewOf(''), teams), 'Game over');
  const out = players.map((player) => ({ ...player, alive: player.team === 1 }));
  assert.equal(roundText(out, viewOf(''), teams), 'Victory for Blues!');
  assert.equal(roundText(out, viewOf('Half'), teams), 'Half goes to Blues!');
});

test("a phone shows the score of its player's team first", () => {
  const hud = { phase: 1, round: 1, seconds: 0, alive: true, winner: false, gauge: 0, rank: 1 };
  assert.equal(scoreText({ ...hud, score: 9 }), '9');
  assert.equal(scoreText({ ...hud, score: 9, team: 1, teamScores: [2, 5] }), '5 : 2');
  assert.equal(scoreText({ ...hud, score: 9, team: 1, teamScores: [2, 5, 7] }), '5');
});

test('names of teams are translated', () => {
  const texts = { title: 'A', tagline: '', rules: [], controls: {} };
  const game = /** @type {any} */ ({
    ...texts,
    view: {},
    teams: TEAMS,
    translations: { ko: { ...texts, teams: ['빨강', '파랑'] }, de: texts },
  });
  const namesIn = (/** @type {string} */ code) =>
    translateGame(game, code).teams?.map(({ name, color }) => `${name} ${color}`);
  assert.deepEqual(namesIn('ko'), ['빨강 #ff4d4d', '파랑 #4da3ff']);
  assert.deepEqual(namesIn('de'), namesIn('en'));
});
