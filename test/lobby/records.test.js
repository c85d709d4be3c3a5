import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readdir } from 'node:fs/promises';
import test from 'node:test';
import { PHASE, PLAYER_FLAG } from '../../app/game/frame.js';
import { LIMITS } from '../../app/limits/table.js';
import { MatchTrack } from '../../app/lobby/match-track.js';
import { Records } from '../../app/lobby/records.js';
import { hashToken } from '../../app/lobby/tokens.js';
import { PLAYER_COLORS } from '../../app/match/player-colors.js';
import { Store } from '../../app/storage/store.js';
import { makeFrame } from '../support/frame.js';
import { temporaryFolder } from '../support/tv.js';

const HOUR = 3_600_000;
const NOON = new Date(2026, 5, 1, 12).getTime();
const GAME = {
  id: 'dash',
  options: { size: { default: 1 }, botStrength: { default: 0 } },
  view: { events: [{ name: 'goal' }], extra: ['left', 'streak'] },
  records: [{ of: 'score' }, { of: 'extra', from: 'streak' }, { of: 'time', from: 'goal' }],
};

/** Makes the memory of a TV with the phones of Ann and Ben. @param {Store} store @param {boolean} [writable] */
async function remember(store, writable = false) {
  const people = ['Ann', 'Ben'].map((name, i) => {
    return {
      id: i + 1,
      name,
      color: PLAYER_COLORS[i],
      connected: true,
      tokenHash: hashToken(name),
    };
  });
  const lobby = new EventEmitter();
  Object.assign(lobby, { players: { get: (/** @type {number} */ id) => people[id - 1] } });
  const parts = /** @type {any} */ ({ store, lobby, log: { warn() {} }, writable });
  const records = new Records(parts);
  const clock = { steady: 0, time: /** @type {number | undefined} */ (NOON) };
  records.steadyNow = () => clock.steady;
  records.time = () => clock.time;
  await records.load();
  let matches = 0;
  /**
   * Plays a match that the highest score wins, and returns its news.
   * @param {number[]} scores of Ann, Ben and bots @param {any} [how] goal: tick in which Ann has shot one; late: the TV
   *   sees only its podium; token: of a match that is played again from a checkpoint
   */
  const play = (
    scores,
    {
      streak = 0,
      goal = 0,
      restarts = false,
      late = false,
      options = {},
      id = 'dash',
      ...how
    } = {},
  ) => {
    const seats = { playerAt: (/** @type {number} */ slot) => people[slot] };
    const tokenHash = hashToken(how.token ?? `${++matches}`);
    const match = /** @type {any} */ ({ game: { ...GAME, id }, seats, options, tokenHash });
    const rows = scores.map((score, slot) => {
      const winner = score === Math.max(...scores) ? PLAYER_FLAG.winner : 0;
      return { score, flags: winner | (people[slot] ? PLAYER_FLAG.present : PLAYER_FLAG.bot) };
    });
    /** @type {any[]} */
    let heard = [];
    records.once('news', (_match, news) => (heard = news));
    const { ready, play: playing, matchOver } = PHASE;
    const phases = [ready, playing, playing, matchOver, matchOver];
    for (const [i, tick] of [9, 10, 10 + goal, 900, 901].entries()) {
      const events = goal > 0 && tick >= 10 + goal ? [{ owner: 0 }] : [];
      const phase = phases[i];
      if (late && phase !== matchOver) continue;
      records.frame(match, makeFrame({ players: rows, phase, tick, events, extra: [0, streak] }));
      if (restarts) lobby.emit('restart', match);
    }
    records.removeAllListeners();
    assert.deepEqual(records.newsOf(match), heard, 'for pages that come during the podium');
    return heard.map(({ record, span, value, award, people: who }) => {
      const names = who.map((/** @type {any} */ one) => one.name).join(' ');
      return `${award ?? `${record} ${span} ${value}`} ${names}`;
    });
  };
  /** Lists the first record in the lobby. */
  const shown = () => {
    const lines = records.view(/** @type {any} */ ([GAME])).games.dash;
    return lines.filter(({ record }) => record === 0).map(({ span, value }) => `${span} ${value}`);
  };
  return { records, parts, people, clock, play, shown };
}

test('a match breaks the records of its game, if there were some', async () => {
  const { play, people } = await remember(new Store(temporaryFolder()));
  assert.deepEqual(play([5, 9], { streak: 4, goal: 600 }), []);
  assert.deepEqual(play([7, 9], { streak: 4, goal: 90 }), ['2 ever 15 Ann']);
  const news = play([12, 10], { streak: 6, goal: 30, restarts: true });
  assert.deepEqual(news, ['0 ever 12 Ann', '1 ever 6 Ann Ben'], 'no time: the goal came twice');
  assert.deepEqual(play([90, 8], { options: { size: 2 } }), [], 'not the usual options');
  assert.deepEqual(play([99, 8], { late: true }), [], 'it has counted before the TV restarted');
  assert.deepEqual(play([6, 4, 2]), ['3 ever 3 Ann'], 'wins in a row');
  assert.deepEqual(play([6, 14], { options: { botStrength: 2 } }), ['0 ever 14 Ben']);
  people[0].connected = false;
  assert.deepEqual(play([50, 15]), ['0 ever 15 Ben'], 'a bot has played for Ann');
});

test('an event whose name begins with that of another one is not this one', () => {
  const view = { events: [{ name: 'goal' }, { name: 'goal kick' }], extra: [] };
  const records = ['goal', 'goal kick'].map((from) => ({ name: from, of: 'time', from }));
  const seats = { playerAt: () => ({ id: 1 }) };
  const track = new MatchTrack(/** @type {any} */ ({ game: { view, records }, seats }));
  for (const [phase, tick, type] of [
    [PHASE.ready, 9],
    [PHASE.play, 10],
    [PHASE.play, 40, 1],
    [PHASE.play, 100, 0],
  ]) {
    const events = type === undefined ? [] : [{ type, owner: 0, sequence: tick }];
    track.read(makeFrame({ phase, tick, events }));
  }
  const people = /** @type {any} */ ([{ player: 1, score: 0 }]);
  const values = records.map((record) => {
    return track.best(/** @type {any} */ (record), new Uint8Array(), people).value;
  });
  assert.deepEqual(values, [15, 5]);
});

test('a match that resumes from a checkpoint before its podium counts once', async () => {
  const store = new Store(temporaryFolder());
  const { play, records } = await remember(store, true);
  play([5, 9], { token: 'first' });
  await records.saved();
  const { play: playAgain } = await remember(store, true); // after a power cut
  assert.deepEqual(playAgain([6, 10], { token: 'first' }), []);
  assert.deepEqual(playAgain([6, 10], { token: 'second' }), ['0 ever 10 Ben'], 'it was still 9');
});

test('the evening follows a steady clock, the week one that is set', async () => {
  const store = new Store(temporaryFolder());
  const { play, shown, clock, records } = await remember(store, true);
  play([9, 3]);
  clock.steady += 7 * HOUR;
  play([4, 2]);
  assert.deepEqual(shown(), ['ever 9', 'evening 4']);
  clock.time = undefined; // the machine was started without a network
  assert.equal(play([6, 2])[0], '0 evening 6 Ann');
  assert.deepEqual(shown(), ['ever 9', 'evening 6']);
  clock.time = NOON + 9 * 24 * HOUR;
  play([7, 2]);
  assert.deepEqual(shown(), ['ever 9', 'week 7']);
  await records.saved();
  assert.deepEqual((await remember(store)).shown(), ['ever 9'], 'the clock is wrong again');
});

test('results give achievements, each once in an evening', async () => {
  const { play, clock, people } = await remember(new Store(temporaryFolder()));
  const given = (/** @type {number[]} */ scores) =>
    play(scores).filter((news) => !/^\d/.test(news));
  assert.deepEqual(given([3, 2]), ['close Ann']);
  assert.deepEqual(given([3, 3, 1]), ['draw Ann Ben']);
  for (let n = 0; n < 4; n++) assert.deepEqual(given([4, 3]), []);
  assert.deepEqual(given([4, 2]), ['losses Ben']);
  clock.time = NOON + 13 * HOUR;
  assert.deepEqual(given([4, 2]), ['late Ann Ben']);
  people.pop();
  assert.deepEqual(given([4, 2]), ['bots Ann']);
});

test('a bounded number of phones and records is kept, and all can be erased', async () => {
  const store = new Store(temporaryFolder());
  const { records, play, people, parts } = await remember(store);
  for (let i = 0; i <= LIMITS.memoryEntries.value; i++) {
    parts.writable = i === LIMITS.memoryEntries.value;
    people[1] = { ...people[1], name: '한'.repeat(180), tokenHash: hashToken(`${i}`) };
    play([1, 3], { id: `dash-${i}-${'x'.repeat(i)}` });
  }
  await records.saved();
  const next = await remember(store, true);
  const known = ['Ann', '2', '1', 5].map((token) => next.records.recall(token)?.color);
  assert.deepEqual(known, [...PLAYER_COLORS.slice(0, 2), undefined, undefined]);
  assert.equal(records.recall('Ann')?.id, 1);
  assert.equal(next.records.recall('Ann')?.id, 0, 'its id may be that of another phone by now');
  assert.ok(!JSON.stringify(next.records.export()).includes(hashToken('Ann').toString('hex')));
  let changes = 0;
  next.parts.lobby.on('change', () => changes++);
  await next.records.erase();
  assert.equal(changes, 1, 'screens show others');
  const { records: none } = await remember(store);
  assert.deepEqual(none.export(), { records: [], phones: [], achievements: [] });
});

test('a file that cannot be used is set aside, and edited names are cleaned', async () => {
  const folder = temporaryFolder();
  const store = new Store(folder);
  const person = { name: '\u202eevil', color: PLAYER_COLORS[0] };
  const bests = [{ key: 'dash score ', span: 'ever', value: 3, people: [person] }];
  for (const wrong of [{ format: 2 }, { phones: [person] }, { bests: [person] }]) {
    await store.write('records.json', JSON.stringify({ format: 1, bests, phones: [], ...wrong }));
    assert.deepEqual((await remember(store)).shown(), []);
    assert.ok(!(await readdir(folder)).includes('records.json'));
  }
  await store.write('records.json', JSON.stringify({ format: 1, bests, phones: [] }));
  const { records } = await remember(store);
  assert.equal(records.export().records[0].people[0].name, 'evil');
});
