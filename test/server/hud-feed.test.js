import assert from 'node:assert/strict';
import test from 'node:test';
import { PHASE, PLAYER_FLAG, TEAM_SHIFT } from '../../app/game/frame.js';
import { HudFeed, hudsOf } from '../../app/server/hud-feed.js';
import { makeFrame } from '../support/frame.js';

const { present, alive, bot, winner } = PLAYER_FLAG;

test('ranks follow the scores, equal scores share a rank, and empty slots do not count', () => {
  const frame = makeFrame({
    players: [
      { score: 10, flags: present | alive, gauge: 5 },
      { score: 30, flags: bot | alive },
      { score: 99 },
      { score: 10, flags: present },
      { score: 40, flags: present | winner, gauge: 255 },
    ],
    phase: 3,
    timer: 71,
  });
  const huds = hudsOf(frame);
  const ranks = huds.map((hud) => hud?.rank);
  assert.deepEqual(ranks, [3, 2, undefined, 3, 1]);
  const clock = { phase: 3, round: 2, seconds: 8 };
  const own = { score: 40, rank: 1, alive: false, gauge: 255, winner: true };
  assert.deepEqual(huds[4], { t: 'hud', ...own, ...clock });
});

test('a match that nobody has won is lost for all, and one that several have won a draw for them', () => {
  const ends = (/** @type {number} */ phase, /** @type {number[]} */ ...flags) => {
    const players = flags.map((flag) => ({ flags: present | flag }));
    return hudsOf(makeFrame({ players, phase })).map((hud) => [hud?.lost, hud?.draw].join());
  };
  assert.deepEqual(ends(PHASE.matchOver, 0), ['true,']);
  assert.deepEqual(ends(PHASE.matchOver, winner), [',']);
  assert.deepEqual(ends(PHASE.roundOver, 0), [',']);
  assert.deepEqual(ends(PHASE.matchOver, winner, winner, 0), [',true', ',true', ',']);
  assert.deepEqual(ends(PHASE.matchOver, winner, 0), [',', ',']);
  assert.deepEqual(ends(PHASE.matchOver, winner, winner), [',', ','], 'all have won together');
});

/** @param {{rumbleMs?: number}[]} [events] */
function feed(events = []) {
  /** @type {[number, any][]} */
  const sent = [];
  const hud = new HudFeed(events, (slot, text) => sent.push([slot, JSON.parse(text)]));
  return { hud, sent };
}

test('a phone gets changes only, and at most ten messages a second', () => {
  const { hud, sent } = feed();
  const frame = (/** @type {number} */ score) =>
    makeFrame({ players: [{ score, flags: present }] });
  hud.frame(frame(1), 0);
  hud.frame(frame(2), 50);
  hud.frame(frame(2), 99);
  const scores = () => sent.map(([, message]) => message.score);
  assert.deepEqual(scores(), [1]);
  hud.frame(frame(3), 100);
  hud.frame(frame(3), 200);
  hud.frame(frame(3), 300);
  assert.deepEqual(scores(), [1, 3]);
  hud.forget();
  hud.frame(frame(3), 400);
  assert.equal(sent.length, 3, 'a new phone gets a complete update');
});

test("the phone of an event's owner vibrates once, for a limited time, and again after a restart from a checkpoint", () => {
  const { hud, sent } = feed([{ rumbleMs: 40 }, {}, { rumbleMs: 1e9 }]);
  const events = (/** @type {number[][]} */ ...list) =>
    makeFrame({ events: list.map(([sequence, type, owner]) => ({ sequence, type, owner })) });
  hud.frame(events([1, 0, 0]), 0);
  assert.deepEqual(sent, [], 'earlier events are ignored');
  hud.frame(events([1, 0, 0], [2, 0, 5], [3, 1, 5], [4, 2, 6], [5, 9, 6]), 10);
  hud.frame(events([2, 0, 5], [4, 2, 6]), 20);
  hud.frame(events([6, 0, 6], [7, 2, 6], [8, 0, 6]), 30);
  assert.deepEqual(sent, [
    [5, { t: 'rumble', ms: 40 }],
    [6, { t: 'rumble', ms: 1000 }],
    [6, { t: 'rumble', ms: 1000 }], // the longest of the frame
  ]);
  hud.frame(events([3, 0, 5]), 40); // the match continues from a checkpoint, and its count restarts
  hud.frame(events([4, 0, 5]), 50);
  assert.equal(sent.length, 4);
});

test("in a game with teams, phones get the player's team, the teams' scores and the team's rank", () => {
  const [reds, blues] = [0, 1].map((team) => team << TEAM_SHIFT);
  const frame = makeFrame({
    players: [
      { score: 7, flags: present | alive | reds },
      { score: 0, flags: present | alive | blues },
      {},
      { score: 1, flags: PLAYER_FLAG.team | reds },
      { score: 3, flags: PLAYER_FLAG.team | blues },
    ],
  });
  const huds = hudsOf(frame, 2);
  const [one, two, ...none] = huds.map((hud) => hud && [hud.score, hud.rank, hud.team]);
  assert.deepEqual(one, [7, 2, 0]);
  assert.deepEqual(two, [0, 1, 1]);
  for (const hud of huds.slice(0, 2)) assert.deepEqual(hud?.teamScores, [1, 3]);
  assert.deepEqual(none, [undefined, undefined, undefined]);
  const old = hudsOf(frame);
  assert.deepEqual([old[0]?.rank, old[0]?.team], [1, undefined], 'teams are ignored otherwise');
});
