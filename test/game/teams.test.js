import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAYER_FLAG, teamOf } from '../../app/game/frame.js';
import { readPlayers, readTeams } from '../../app/game/frame-reader.js';
import { packInput } from '../../app/game/input.js';
import { NO_TEAM } from '../../app/game/teams.js';
import { TEAM_COLORS } from '../../app/game/vocabulary.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { READY, TEAMS, start as startTiny, tinyGame } from './tiny-game.js';

const SLOTS = 8;
const HERE = packInput(0, 0, 0, 0, 0);

/** @typedef {import('./tiny-game.js').Parts} Parts */

/** A match of eight slots and two teams, without rules. @param {Parts} [parts] */
function start(parts = {}) {
  const match = startTiny({
    players: { min: 1, max: SLOTS },
    teams: TEAMS,
    bots: () => 0,
    setUpRound: ({ alive }) => void alive.fill(0),
    steer() {},
    settle() {},
    ...parts,
  });
  const { flow, words, step } = match;
  return {
    ...match,
    /** Sets who is there and runs a tick. @param {...number} slots */
    people(...slots) {
      words.fill(0);
      for (const slot of slots) words[slot] = HERE;
      step();
    },
    /** Teams by slot, - for a slot that nobody plays. */
    teams: () => [...flow.team].map((team) => (team === NO_TEAM ? '-' : team)).join(''),
    /** Number of members of each team. @param {'human' | 'bot' | 'seated'} who */
    sizes(who) {
      const counts = new Array(flow.teams).fill(0);
      for (let slot = 0; slot < SLOTS; slot++) {
        const counted = who === 'seated' ? flow.seated(slot) : flow[who][slot] === 1;
        if (counted) counts[flow.team[slot]]++;
      }
      return counts;
    },
  };
}

test('people are spread evenly in the order in which they join, whatever their slots are', () => {
  const match = start();
  match.people(5);
  assert.equal(match.teams(), '-----0--');
  match.people(5, 1);
  assert.equal(match.teams(), '-1---0--');
  match.people(5, 1, 7);
  match.people(0, 1, 5, 7);
  assert.equal(match.teams(), '11---0-0');
});

test('bots fill the teams, and make room for people', () => {
  const match = start({ bots: (humans) => Math.max(0, 6 - humans) });
  match.step();
  assert.deepEqual(match.sizes('bot'), [3, 3]);
  for (const people of [[7], [7, 3], [7, 3, 0], [3, 0], [6, 3, 0, 1, 2]]) {
    match.people(...people);
    assert.deepEqual(match.sizes('seated'), [3, 3], people.join());
    const [reds, blues] = match.sizes('human');
    assert.ok(Math.abs(reds - blues) <= 1, `people ${people.join()}`);
  }
});

test('nobody changes the team during a round; the next round makes the teams even', () => {
  const match = start({
    settle: (flow) => {
      if (flow.playing && flow.phaseTicks >= 60) flow.endRound();
    },
  });
  match.people(0, 1, 2, 3);
  assert.equal(match.teams(), '0101----');
  match.step(READY);
  assert.ok(match.flow.playing);
  match.people(0, 2);
  assert.equal(match.teams(), '0-0-----');
  while (match.flow.round === 1) match.step();
  assert.equal(match.teams(), '0-1-----');
});

test('with castAlways, bots keep the teams even during a round', () => {
  const match = start({ castAlways: true, bots: (humans) => Math.max(0, 4 - humans) });
  match.step(READY + 5);
  match.people(0, 2); // two people in the place of bots
  const [first, second] = [match.flow.team[0], match.flow.team[2]];
  match.people(0, 2, 4);
  match.people(0, 2, 4, 5);
  match.people(0, 2, 5);
  assert.deepEqual(match.sizes('seated'), [2, 2]);
  assert.deepEqual([match.flow.team[0], match.flow.team[2]], [first, second]);
});

test('with castAlways, a bot moves to an empty team, also from one that is not the first of the largest', () => {
  const teams = [...TEAMS, { name: 'Yellows', color: 'yellow' }];
  const bots = (/** @type {number} */ humans) => humans % 2;
  const match = start({ teams, castAlways: true, bots });
  match.people(0, 1, 2, 3, 4);
  assert.equal(match.teams(), '012012--');
  match.flow.alive[4] = 1; // a bot stands in for this player
  match.people(0, 1, 3);
  assert.equal(match.teams(), '01-02---');
});

test('the team with the highest score wins, with all its players', () => {
  const match = start({
    settle(flow) {
      if (!flow.playing) return;
      flow.teamScore.set([1, 2]);
      flow.score[0] = 99; // does not count
      flow.endRound(true);
    },
  });
  match.people(0, 1, 2, 3);
  while (!match.job.done) match.step();
  assert.deepEqual([...match.flow.winner.subarray(0, 4)], [0, 1, 0, 1]);
  assert.deepEqual(readTeams(readPlayers(match.raw()), 2), [
    { score: 1, winner: false },
    { score: 2, winner: true },
  ]);
});

test('a frame has the teams in records that older clients skip', () => {
  const match = start();
  match.people(0, 1, 4);
  match.flow.teamScore.set([-7, 300]);
  const { players } = match.frame();
  assert.equal(players.length, SLOTS + 2);
  const teams = players.slice(0, 2).map(({ flags }) => teamOf(flags));
  assert.deepEqual(teams, [0, 1]);
  const shown = players.filter(({ flags }) => flags & (PLAYER_FLAG.present | PLAYER_FLAG.bot));
  assert.equal(shown.length, 3, 'the records of teams are neither present nor bots');
  for (const [team, score] of [-7, 300].entries()) {
    const { flags, ...record } = players[SLOTS + team];
    assert.equal(record.score, score);
    assert.deepEqual([flags & PLAYER_FLAG.team, teamOf(flags)], [PLAYER_FLAG.team, team]);
  }
});

test('a game without teams has no more state, and no more records', () => {
  const game = tinyGame();
  const { flow } = game.start();
  assert.deepEqual([flow.teams, flow.team.length, flow.teamScore.length], [0, 0, 0]);
  assert.equal('teams' in game, false);
  const two = tinyGame({ teams: TEAMS });
  assert.equal(two.sizes().checkpointBytes - game.sizes().checkpointBytes, 8 * (3 + 2));
  assert.ok(two.sizes().frameBytes > game.sizes().frameBytes);
});

test('the names of colours are those of the colours of players; own colours with a contrast are valid', () => {
  assert.deepEqual(Object.values(TEAM_COLORS), [...PLAYER_COLORS]);
  const { teams: named = [] } = tinyGame({ teams: TEAMS });
  assert.deepEqual(
    named.map(({ color }) => color),
    PLAYER_COLORS.slice(0, 2),
  );
  const teams = [
    { name: 'Day', color: '#fff2b0' },
    { name: 'Dusk', color: '#C080FF' },
  ];
  const texts = { title: 'A', tagline: 'B', rules: [], controls: {}, teams: ['낮', '저녁'] };
  const translations = { ko: /** @type {any} */ (texts) };
  assert.deepEqual(tinyGame({ teams, translations }).teams, teams);
});
