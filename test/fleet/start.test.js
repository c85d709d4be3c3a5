/** Two TVs that start, and the commands of `pitv fleet` that concern them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BEATS } from '../../app/fleet/beats.js';
import { askNode } from '../../app/fleet/requests.js';
import { PROTOCOL } from '../../app/fleet/wire.js';
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';
import { runCommand } from '../support/cli.js';
import { installedGames } from '../support/serve.js';
import { temporaryFolder, until } from '../support/tv.js';
import { connectTo, untilWhole } from './play.js';

const POLL_MS = 2;
const MATCHES = 5;
const skip = missingForFleet ?? false;
const fleet = new LocalFleet({
  count: 2,
  games: skip ? '' : installedGames(),
  flags: ['--engine', 'process', '--max-matches', '8'],
});

before(() => (skip ? undefined : fleet.start()));
after(() => fleet.stop());

const connect = () => ['--fleet', fleet.urls.join(), '--fleet-credentials', fleet.credentials];
const run = (/** @type {string[]} */ ...args) => runCommand(['fleet', ...args, ...connect()]);

/** Asks a TV, and again until it listens. @param {number} i @param {string} path @param {object} [body] */
async function ask(i, path, body) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${fleet.adminToken(i)}`,
  };
  const options = body && { method: 'POST', headers, body: JSON.stringify(body) };
  for (;;) {
    const response = await fetch(fleet.nodes[i].url + path, options).catch(() => undefined);
    if (response) return { status: response.status, text: await response.text() };
    await sleep(POLL_MS);
  }
}

test('a request that comes before the TV takes part waits', { skip }, async () => {
  fleet.kill(0);
  const [, match, state, drained] = await Promise.all([
    fleet.startTv(0),
    ask(0, '/api/matches', { game: 'bumper' }),
    ask(0, '/api/fleet'),
    ask(0, '/api/fleet/nodes/node-0/drain', { on: false }),
  ]);
  assert.equal(match.status, 201, match.text);
  assert.equal(state.status, 200, state.text);
  assert.equal(drained.status, 200, drained.text);
  assert.doesNotMatch(fleet.logs[0], /request failed/);
});

test(
  'a TV with the name of one that runs is refused; if it runs nevertheless, the log says so',
  { skip },
  async (t) => {
    const own = ['--fleet-node', 'node-0', '--data-dir', temporaryFolder(), '--engine', 'thread'];
    const { status, stderr } = await runCommand(['serve', ...connect(), ...own]);
    assert.equal(status, 1);
    assert.match(stderr, /has the name "node-0". Give this one another name with --fleet-node/);

    const connection = await connectTo(fleet);
    t.after(() => connection.close());
    connection.publish(BEATS, JSON.stringify({ node: 'node-0', protocol: PROTOCOL }));
    await until(() => /another TV has the name of this one/.test(fleet.logs[0]), 'the log');
  },
);

test('a drain moves each match once, and ends at --undo', { skip }, async (t) => {
  await untilWhole(fleet);
  const connection = await connectTo(fleet);
  t.after(() => connection.close());
  const drain = async (/** @type {number} */ i, /** @type {boolean} */ on) =>
    (await askNode(connection, `node-${i}`, 'drain', { on })).matches;
  assert.equal(await drain(1, true), 0);
  for (let i = 0; i < MATCHES; i++) {
    const { status, text } = await ask(0, '/api/matches', { game: 'bumper' });
    assert.equal(status, 201, text);
  }
  await drain(1, false);
  const { matches } = await fleet.state(0);
  assert.ok(matches.every((/** @type {any} */ { node }) => node === 'node-0'));
  const undone = new Promise((resolve) => {
    connection.subscribe(BEATS, ({ data }) => {
      const { node, about } = JSON.parse(String(Buffer.from(data)));
      if (node === 'node-0' && about.drains) resolve(drain(0, false));
    });
  });
  const left = await drain(0, true);
  assert.ok(left > 0 && left < matches.length, `${left} of ${matches.length}`);
  assert.equal(await undone, left);

  const moved = async () => {
    const state = await fleet.state(1);
    return state.matches.find((/** @type {any} */ { node }) => node === 'node-1');
  };
  const before = await moved();
  assert.equal(before.moves, 1);
  await askNode(connection, 'node-1', 'adopt', { match: before.id }); // as if its answer had been lost
  assert.deepEqual(await moved(), before);
});

test(
  'pitv fleet status shows TVs and matches, and its exit status that one is away',
  { skip },
  async () => {
    await untilWhole(fleet);
    const { id } = JSON.parse((await ask(0, '/api/matches', { game: 'bumper' })).text);
    const up = await run('status', '--json');
    assert.equal(up.status, 0, up.stderr);
    const { nodes, matches } = JSON.parse(up.stdout);
    const shown = nodes.map((/** @type {any} */ { node, alive, leased, urls }) => ({
      node,
      alive,
      leased,
      urls,
    }));
    const expected = fleet.nodes.map(({ name, url }) => ({
      node: name,
      alive: true,
      leased: true,
      urls: [url],
    }));
    assert.deepEqual(shown, expected);
    const match = matches.find((/** @type {any} */ each) => each.id === id);
    const { node } = match;
    assert.deepEqual(match, { id, game: 'bumper', node, epoch: 1, players: 0 });

    assert.match((await run('forget', 'node-0')).stderr, /"node-0" runs. Stop its TV first/);
    fleet.kill(1);
    const away = await run('status');
    assert.equal(away.status, 1, away.stderr);
    assert.match(away.stdout, /^node-0 +(up|cut off) +\d of \d+ +\d+\.\d +http:/m);
    assert.match(away.stdout, /^node-1 +away *$/m);
    assert.match(away.stdout, new RegExp(`^${id} +bumper +node-\\d +\\d +0$`, 'm'));

    assert.equal((await run('forget', 'node-1')).status, 0);
    assert.equal((await run('status')).status, 0, 'the rest is there');
  },
);

test('pitv fleet status without a server, or without an address, says so', { skip }, async () => {
  const nowhere = await runCommand(['fleet', 'status', '--fleet', 'nats://127.0.0.1:1']);
  assert.equal(nowhere.status, 1);
  assert.match(nowhere.stderr, /No server of the fleet can be used/);
  const wrong = await runCommand(['fleet', 'status'], { env: { PITV_FLEET: '' } });
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /Which fleet\?/);
});
