/** One lobby for all TVs: what it has besides matches survives a TV, too. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openPad, openScreen } from '../../bench/harness/fleet-client.js';
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';
import { until } from '../support/tv.js';

const skip = missingForFleet ?? false;
const QUICK_TV = fileURLToPath(new URL('quick-tv.js', import.meta.url));
const GIVE_UP_MS = 40_000;

/** @type {(() => unknown)[]} */
let ends = [];
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});

/** Starts a fleet with a screen at each node. @param {ConstructorParameters<typeof LocalFleet>[0]} [options] */
async function startFleet(options) {
  const fleet = new LocalFleet(options);
  ends.push(() => fleet.stop());
  await fleet.start();
  const screens = await Promise.all(fleet.nodes.map(openScreen));
  ends.push(() => screens.forEach((screen) => screen.close()));
  const { code } = await screens[0].wait('lobby');
  const isWhole = async () => {
    const states = await Promise.all(fleet.nodes.map((_node, i) => fleet.state(i)));
    return states.every(({ nodes }) => nodes.every((/** @type {any} */ node) => node.leased));
  };
  await until(isWhole, 'all nodes hear each other');
  return { fleet, screens, code };
}

/** @typedef {import('../../bench/harness/fleet-client.js').Client} Client */
/** @typedef {(lobby: any) => boolean} Test */

/** Waits for a lobby message that comes from now on, or is the newest one. @param {Client} client @param {Test} test */
const lobbyOf = (client, test) => {
  const from = client.messages.findLastIndex(({ t }) => t === 'lobby');
  return client.wait('lobby', test, Math.max(0, from), GIVE_UP_MS);
};

test('a party goes on when the TV that runs it loses power', { skip }, async () => {
  const { fleet, screens, code } = await startFleet({ program: QUICK_TV });
  const [, second, third] = screens;
  const [ann, ben] = [
    await openPad(fleet.nodes[1], code, 'Ann'),
    await openPad(fleet.nodes[2], code, 'Ben'),
  ];
  ends.push(() => [ann, ben].forEach((pad) => pad.close()));
  for (const screen of screens) await lobbyOf(screen, ({ players }) => players.length === 2);

  third.send({ t: 'party', games: 3 });
  const resting =
    (/** @type {number} */ played) =>
    (/** @type {any} */ { party }) =>
      party?.phase === 'resting' && party.played === played;
  const tables = await Promise.all(
    screens.map(async (screen) => (await lobbyOf(screen, resting(1))).party.table),
  );
  assert.equal(tables[0].length, 2);
  assert.deepEqual(tables[1], tables[0]);
  assert.deepEqual(tables[2], tables[0]);
  second.send({ t: 'party', games: 2 });
  assert.equal((await second.wait('error')).code, 'PITV_PARTY_RUNNING', 'one party at a time');
  second.send({ t: 'end-party' });
  await second.wait('error', ({ code: error }) => error === 'PITV_NOT_YOURS');

  assert.equal((await fleet.state(2)).party, 'node-0', 'the first node runs the party');
  fleet.kill(0, { server: true });
  const isOver = (/** @type {any} */ { party }) => party?.phase === 'over';
  const [{ party }, { party: same }] = await Promise.all(
    [second, third].map((screen) => lobbyOf(screen, isOver)),
  );
  assert.equal(party.played, 3);
  assert.deepEqual(party, same);
  const points = (/** @type {string} */ name) =>
    party.table.find((/** @type {any} */ line) => line.name === name)?.points;
  assert.equal(points('Ann') + points('Ben'), 3 * (5 + 3), 'each game counts once');
  const isTold = (/** @type {any} */ { party: own }) =>
    own?.phase === 'over' && own.points === points('Ann');
  await lobbyOf(ann, isTold);

  await third.connect(fleet.nodes[1]); // the screen that has started it, at another TV
  third.send({ t: 'end-party' });
  await Promise.all([second, ben].map((client) => lobbyOf(client, (each) => each.party === null)));
});
