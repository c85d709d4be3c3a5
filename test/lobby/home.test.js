import assert from 'node:assert/strict';
import test from 'node:test';
import { createEngine } from '../../app/engine/index.js';
import { Home } from '../../app/lobby/home.js';
import { silentLog } from '../../app/log.js';
import { faultyGame, startTv } from '../support/tv.js';

test('a TV that is alone has a lobby and a party, and shares nothing', async (t) => {
  const engine = await createEngine('thread');
  t.after(() => engine.close());
  const home = new Home({ lobby: { games: [faultyGame], engine, log: silentLog, maxMatches: 1 } });
  t.after(() => home.lobby.suspend());
  const { match } = await home.lobby.start('faulty', { owner: 'x' });
  assert.equal(home.party.lobby, home.lobby);
  assert.deepEqual([match.isOwn, home.isWanted(match.id), home.origins], [true, false, []]);
  const refused = { code: 'PITV_NOT_FOUND' };
  await assert.rejects(home.readFile(faultyGame, 'art', 'a.png', 1), refused);
  await assert.rejects(home.drainNode('a', true), refused);
});

test('a TV that is alone has no nodes to show', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
  const response = await fetch(`${tv.url}/api/fleet`);
  assert.equal(response.status, 404);
  assert.equal((await response.json()).error.code, 'PITV_NOT_FOUND');
});
