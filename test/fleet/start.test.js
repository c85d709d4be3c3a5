/** Two TVs that start, and the commands of `pitv fleet` that concern them. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BEATS } from '../../app/fleet/nodes.js';
import { DRAIN_MS, askNode } from '../../app/fleet/requests.js';
import { forgetMember, openMembers } from '../../app/fleet/members.js';
import { openTables } from '../../app/fleet/join.js';
import { PROTOCOL } from '../../app/fleet/wire.js';
import { LIMITS } from '../../app/limits/table.js';
import { Client } from '../../bench/harness/client.js';
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';
import { runCommand } from '../support/cli.js';
import { installedGames } from '../support/serve.js';
import { temporaryFolder, until } from '../support/tv.js';
import { connectTo, test, untilWhole } from './play.js';

const POLL_MS = 2;
const MAX_MATCHES = 6;
const fleet = new LocalFleet({
  count: 2,
  games: installedGames(),
  flags: ['--engine', 'process', '--max-matches', String(MAX_MATCHES)],
});

before(() => (missingForFleet ? undefined : fleet.start()));
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

/** Finds a match that a TV runs. @param {number} i */
const matchAt = async (i) =>
  (await fleet.state(i)).matches.find((/** @type {any} */ { node }) => node === `node-${i}`);

test('a request that comes before the TV takes part waits', async () => {
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

test('a TV with the name of one that runs is refused; if it runs nevertheless, the log says so', async (t) => {
  const own = ['--fleet-node', 'node-0', '--data-dir', temporaryFolder(), '--engine', 'thread'];
  const { status, stderr } = await runCommand(['serve', ...connect(), ...own]);
  assert.equal(status, 1);
  assert.match(stderr, /has the name "node-0". Give this one another name with --fleet-node/);

  const connection = await connectTo(t, fleet);
  connection.publish(BEATS, JSON.stringify({ node: 'node-0', protocol: PROTOCOL }));
  await until(() => /another TV has the name of this one/.test(fleet.logs[0]), 'the log');
});

test('a drain moves each match once, and ends at --undo', async (t) => {
  await untilWhole(fleet);
  const connection = await connectTo(t, fleet);
  const drain = async (/** @type {number} */ i, /** @type {boolean} */ on) =>
    (await askNode(connection, `node-${i}`, 'drain', { on }, DRAIN_MS)).matches;
  assert.equal(await drain(1, true), 0);
  let answer = { status: 201, text: '' };
  for (let i = 0; i <= MAX_MATCHES && answer.status === 201; i++) {
    answer = await ask(0, '/api/matches', { game: 'bumper' });
  }
  assert.match(answer.text, /PITV_CAPACITY/, 'the other TV has room, and takes none');
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

  const before = await matchAt(1);
  assert.equal(before.moves, 1);
  await askNode(connection, 'node-1', 'adopt', { match: before.id }); // as if its answer had been lost
  assert.deepEqual(await matchAt(1), before);
});

test('who joins a match of the own TV leaves that of another one', async (t) => {
  const [{ id: here }, { id: there }] = [await matchAt(0), await matchAt(1)];
  const screen = await Client.screen(fleet.nodes[0]);
  const { code } = await screen.wait('lobby');
  const pad = await Client.pad(fleet.nodes[0], { code, name: 'Ann' });
  t.after(() => [screen, pad].forEach((client) => client.vanish()));
  for (const id of [there, here]) {
    pad.send({ t: 'join', match: id });
    await pad.wait('match', ({ match }) => match === id);
  }
  const isOver = async () =>
    (await fleet.state(1)).matches.every((/** @type {any} */ { id }) => id !== there);
  await until(isOver, 'the end of the match without players');
});

test('a request whose answer would be too long is refused, and the TV goes on', async (t) => {
  const { nats } = await connectTo(t, fleet);
  // Each of these characters takes 2 bytes here, and 7 where it is made visible.
  const longest = '\x80'.repeat(Math.ceil(Number(nats.info?.max_payload) / 7));
  const request = `{"operation":"${longest}"}`;
  const answer = await nats.request('pitv.node.node-0', request, { timeout: 60_000 });
  const { error } = /** @type {any} */ (answer.json());
  assert.match(error.message, /^There is no request "\\u0080.{900,980}$/);
  assert.equal((await ask(0, '/healthz')).status, 200);
});

test('however many screens come and go, the others learn of a limited number', async (t) => {
  const [{ url }, other] = fleet.nodes;
  const owner = await Client.screen({ url });
  t.after(() => owner.vanish());
  for (let i = 0; i < LIMITS.screenTokens.value + 20; i++) (await Client.screen({ url })).vanish();
  owner.send({ t: 'start', game: 'bumper' });
  const { match } = await owner.wait('watch', ({ mayStop }) => mayStop);
  const connection = await connectTo(t, fleet);
  const tables = await openTables(connection, 'test');
  for (const [node, hashes] of tables.entries('screens')) {
    assert.match(node, /^node-\d$/);
    assert.ok(
      hashes.length <= LIMITS.screenTokens.value + 8,
      `${hashes.length} screens of ${node}`,
    );
  }
  const moved = await Client.screen(other, { token: owner.token });
  t.after(() => moved.vanish());
  moved.send({ t: 'watch', match });
  await moved.wait('watch', (watch) => watch.match === match && watch.mayStop);
});

test('pitv fleet status shows TVs and matches, and its exit status that one is away', async (t) => {
  await untilWhole(fleet);
  const { id } = JSON.parse((await ask(0, '/api/matches', { game: 'bumper' })).text);
  const up = await run('status', '--json');
  assert.equal(up.status, 0, up.stderr);
  const { nodes, matches } = JSON.parse(up.stdout);
  assert.deepEqual(
    nodes.map((/** @type {any} */ each) => [each.node, each.alive, each.leased, each.urls]),
    fleet.nodes.map(({ name, url }) => [name, true, true, [url]]),
  );
  const match = matches.find((/** @type {any} */ each) => each.id === id);
  const { node } = match;
  assert.deepEqual(match, { id, game: 'bumper', node, epoch: 1, players: 0 });

  assert.match((await run('forget', 'node-0')).stderr, /"node-0" runs. Stop its TV first/);
  fleet.kill(1);
  const away = await run('status');
  assert.equal(away.status, 1, away.stderr);
  assert.match(away.stdout, /^node-0 +(up|cut off) +\d of \d+ +-?\d+\.\d +http:/m);
  assert.match(away.stdout, /^node-1 +away *$/m);
  assert.match(away.stdout, new RegExp(`^${id} +bumper +node-\\d +\\d +0$`, 'm'));

  assert.equal((await run('forget', 'node-1')).status, 0);
  assert.equal((await run('status')).status, 0, 'the rest is there');

  // Nobody removes one that runs. Servers that have lost their disks do.
  await forgetMember(await openMembers(await connectTo(t, fleet)), 'node-0');
  await until(() => /the fleet does not know this node/.test(fleet.logs[0]), 'the log');
});

test('pitv fleet status without a server, or without an address, says so', async () => {
  const nowhere = await runCommand(['fleet', 'status', '--fleet', 'nats://127.0.0.1:1']);
  assert.equal(nowhere.status, 1);
  assert.match(nowhere.stderr, /No server of the fleet can be used/);
  const wrong = await runCommand(['fleet', 'status'], { env: { PITV_FLEET: '' } });
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /Which fleet\?/);
});
