import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PartyTable, planGames } from '../../app/lobby/party-rules.js';

test('a party has games for several players in turn, and points for places', () => {
  const all = ['a', 'solo', 'b', 'c'].map((id) => ({
    id,
    players: { max: id === 'solo' ? 1 : 2 },
  }));
  const plan = (/** @type {any} */ games, /** @type {string | undefined} */ first = undefined) =>
    planGames(/** @type {any} */ (all), games, first);
  assert.deepEqual(plan(2), ['a', 'b']);
  assert.deepEqual(plan('9', 'c'), [...'cabcabcab']);
  for (const count of [1, 10, 2.5, 'x', undefined]) {
    assert.throws(() => plan(count), { code: 'PITV_OPTION_INVALID' });
  }
  for (const first of ['solo', 'none']) {
    assert.throws(() => plan(2, first), { code: 'PITV_GAME_UNKNOWN' });
  }
  assert.throws(() => planGames([], 2), { code: 'PITV_GAME_UNKNOWN' });
  const results = [9, 8, 8, 3, 2].map((score, i) => {
    return { player: i === 4 ? null : i, name: `${i}`, color: '', score, winner: i === 0 };
  });
  const table = new PartyTable([{ player: 3, name: 'old', color: '', points: 6 }]);
  table.add({ results });
  const lines = table.lines.map(({ name, points }) => `${name} ${points}`);
  assert.deepEqual(lines, ['3 7', '0 5', '1 3', '2 3']);
  assert.deepEqual([table.pointsOf(3), table.pointsOf(8)], [7, 0]);
});
