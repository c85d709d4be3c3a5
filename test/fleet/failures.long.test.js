/** What may happen to a fleet and around it: matches go on, and at no time does one have two owners. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { askNode } from '../../app/fleet/requests.js';
import { HEADER_AT } from '../../app/game/frame.js';
import { missingForFleet } from '../../bench/harness/local-fleet.js';
import { missingForNetwork } from '../../bench/network/fleet-network.js';
import { missingForLink } from '../../bench/network/link.js';
import { Client } from '../../bench/harness/client.js';
import { missingForFakeTime, removeFakeTimeFiles, withClock } from '../support/faketime.js';
import { runCommand } from '../support/cli.js';
import { fillDisk, mountDisk } from '../support/folders.js';
import { until } from '../support/tv.js';
import { FAILURES, LASTS_MS, measureFailure } from './failures.js';
import { GIVE_UP_MS, connectTo, othersOf, startFleet, startMatch, test } from './play.js';

/** @typedef {import('./failures.js').Stage} Stage */

const skip = missingForFleet ?? false;
const noNetwork = skip || missingForNetwork() || false;
const noLink = noNetwork || missingForLink() || false;
const noFakeTime = skip || missingForFakeTime || false;
const noDisks = skip || (process.getuid?.() !== 0 && 'only root can mount small disks');
after(removeFakeTimeFiles);
/** Longer than a lease and the time until a node is declared dead. */
const EXPIRED_MS = 4000;
const SLOW = Object.freeze({ lossPercent: 3, delayMs: 20, jitterMs: 30 });
/** For which a match is watched on a slow network. */
const WATCH_MS = 8000;
/** After which a match that is saved each second has been. */
const SAVED_MS = 3000;
const DISK_BYTES = 4 * 1024 * 1024;
const KILLED = 'the TV is killed';
const SUSPENDED = 'the TV is suspended for 10 s';
const OFFSETS = ['+1h', '+0', '-1h'];

/**
 * Kills the TV that runs the match, and waits until another one shows it.
 * @param {Stage} stage @param {number} owner @param {{server?: boolean}} [options] see LocalFleet.kill()
 * @returns {Promise<number>} its new node
 */
async function killOwner({ fleet, id }, owner, options) {
  const [other] = othersOf(owner);
  fleet.kill(owner, options);
  const moved = await until(
    async () => {
      const now = await fleet.ownerOf(id, other);
      return now >= 0 && now !== owner && { now };
    },
    'another node runs the match',
    GIVE_UP_MS,
  );
  return moved.now;
}

/** @param {Stage} stage @param {number} owner @param {{server?: boolean}} [options] see LocalFleet.kill() */
async function killTwo(stage, owner, options = {}) {
  const next = await killOwner(stage, owner, options);
  if (options.server) await stage.fleet.startServer(owner);
  await stage.fleet.startTv(owner);
  await killOwner(stage, next, options);
}

/**
 * Makes a failure in which the disk of one or all servers is full. Something new comes into each table.
 * @param {boolean} isOfAll @returns {import('./failures.js').Failure}
 */
function withFullDisks(isOfAll) {
  /** @type {string[]} */
  const disks = [];
  const storeOf = (/** @type {number} */ i) => {
    disks[i] = mountDisk(DISK_BYTES);
    return join(disks[i], 'store');
  };
  return {
    options: { storeOf },
    async happen(stage, [owner]) {
      const { code, fleet, screens } = stage;
      for (const disk of isOfAll ? disks : [disks[owner]]) await fillDisk(join(disk, 'filler'));
      await Client.pad(fleet.nodes[1], { code, name: 'Ben' });
      await screens[2].wait('lobby', ({ players }) => players.length === 2);
      screens[0].send({ t: 'start', game: 'bumper' });
      await screens[1].wait('lobby', ({ matches }) => matches.length === 2);
      await killOwner(stage, owner);
    },
  };
}

/**
 * Failures that `make fleet-failures` does not measure, and two with a further check.
 * @type {Record<string, import('./failures.js').Failure>}
 */
const FURTHER = {
  [KILLED]: {
    async happen({ code, fleet, id }, [owner, other]) {
      const pad = await Client.pad(fleet.nodes[other], { code, name: 'Ben' });
      fleet.kill(owner);
      pad.send({ t: 'join', match: id });
      await pad.wait('match', ({ match }) => match === id);
      assert.equal(
        pad.messages.find(({ t }) => t === 'error'),
        undefined,
      );
    },
  },
  [SUSPENDED]: {
    async happen(stage, nodes) {
      const { fleet, id, screens } = stage;
      const [owner, other] = nodes;
      /** @type {number[]} */
      const ticks = [];
      screens[owner].socket.on('message', (data, isBinary) => {
        if (isBinary) ticks.push(/** @type {Buffer} */ (data).readUInt32LE(HEADER_AT.tick));
      });
      await FAILURES[SUSPENDED].happen(stage, nodes);
      assert.notEqual(await fleet.ownerOf(id, other), owner);
      await screens[owner].nextFrame(performance.now() + 1000, GIVE_UP_MS);
      // Its own worker has gone on all the time, so it is ahead of the one that took over from a checkpoint.
      const inOrder = ticks.toSorted((a, b) => a - b);
      assert.deepEqual(ticks, inOrder, 'frames of its own worker were shown');
    },
  },
  'the TV is drained and stopped at once': {
    async happen({ t, fleet }, [owner]) {
      const { name, tv } = fleet.nodes[owner];
      const connection = await connectTo(t, fleet);
      const drained = askNode(connection, name, 'drain', { on: true });
      drained.catch(() => {}); // the TV may end before it answers
      await connection.nats.flush();
      tv.kill('SIGTERM');
      await once(tv, 'exit');
      assert.doesNotMatch(fleet.logs[owner], /not given away|stays on this node/);
    },
  },
  'two TVs die while the third one drains': {
    at: [0, 1],
    async happen({ t, fleet }, [owner, other, last]) {
      const connection = await connectTo(t, fleet);
      await askNode(connection, fleet.nodes[last].name, 'drain', { on: true });
      for (const i of [owner, other]) fleet.kill(i);
    },
  },
  'two TVs lose power, one after the other': {
    happen: (stage, [owner]) => killTwo(stage, owner, { server: true }),
  },
  'two TVs die, one after the other, and clocks differ by two hours': {
    options: { wrap: (i) => withClock(OFFSETS[i]) },
    happen: (stage, [owner]) => killTwo(stage, owner),
  },
  'a TV dies on links that are slow and lose packets': {
    isCut: true,
    async happen(stage, [owner]) {
      const { fleet, id, network } = stage;
      await network.degrade(SLOW);
      await sleep(WATCH_MS);
      const now = await fleet.ownerOf(id, owner);
      await killOwner(stage, now >= 0 ? now : owner);
    },
  },
  'most nats-servers are away': {
    at: [0, 1, 2],
    hides: true, // if another TV has missed the one of the match while it changed its server
    async happen({ code, fleet, screens }, [owner, other, last]) {
      for (const i of [owner, other]) fleet.servers[i].kill('SIGKILL');
      await Client.pad(fleet.nodes[other], { code, name: 'Ben' });
      await screens[last].wait('lobby', ({ players }) => players.length === 2);
      const isSaid = (/** @type {any} */ { problems }) =>
        /saves no changes: .* or most of them are away/.test(problems.join());
      await screens[other].wait('lobby', isSaid);
      const servers = ['--fleet', fleet.urls.join(), '--fleet-credentials', fleet.credentials];
      const { status, stderr } = await runCommand(['fleet', 'status', ...servers]);
      assert.equal(status, 1);
      assert.match(stderr, /does not answer: .* a majority of them has to run/);

      for (const i of [owner, other]) await fleet.startServer(i);
      const from = screens[other].messages.length;
      await screens[other].wait('lobby', (lobby) => !isSaid(lobby), from);
    },
  },
  'all TVs and nats-servers lose power': {
    at: [0, 1, 2],
    hides: true,
    options: { flags: ['--checkpoint-seconds', '1'] },
    async happen({ fleet, screens, id }, [owner, ...others]) {
      const tickOf = (/** @type {Client} */ { frame }) => frame?.readUInt32LE(HEADER_AT.tick) ?? 0;
      await sleep(SAVED_MS);
      const saved = tickOf(screens[owner]);
      await sleep(SAVED_MS);
      for (const i of [owner, ...others]) fleet.kill(i, { server: true });
      for (const i of [owner, ...others]) await fleet.startServer(i);
      await Promise.all([owner, ...others].map((i) => fleet.startTv(i)));
      const screen = await Client.screen(fleet.nodes[others[0]]);
      screen.send({ t: 'watch', match: id });
      await screen.until(() => screen.frame, 'a frame', GIVE_UP_MS);
      assert.ok(tickOf(screen) >= saved, `${tickOf(screen)} of ${saved}`);
      screen.vanish();
    },
  },
  "a TV dies while the disk of its server's JetStream is full": withFullDisks(false),
  'a TV dies while the disks of all servers are full': withFullDisks(true),
};

/** @param {string} name @returns {string | false} why a failure cannot happen here */
function missingFor(name) {
  if (name.includes('slow')) return noLink;
  if (name.includes('clock')) return noFakeTime;
  if (name.includes('disk')) return noDisks;
  return FAILURES[name]?.isCut ? noNetwork : skip;
}

// Most of the time, a test waits until nodes are missed and are back.
describe('a fleet of which parts fail', { concurrency: 2 }, () => {
  for (const [name, failure] of Object.entries({ ...FAILURES, ...FURTHER })) {
    it(`a match goes on when ${name}`, { skip: missingFor(name) }, async (t) => {
      const { wrong, ...times } = await measureFailure(t, failure);
      t.diagnostic(JSON.stringify(times));
      assert.deepEqual(wrong, []);
      // No screen has to wait for the end of a failure, unless its TV has lost the others.
      const { own = 0, others = 0 } = times;
      const most = name.includes('10 s') ? LASTS_MS : Infinity;
      assert.ok(others < most, `${others} ms`);
      assert.ok(failure.hides || own < most, `${own} ms`);
    });
  }

  test('one of two TVs loses power: its matches wait, and the other one says so and runs new ones', async (t) => {
    const parts = await startFleet(t, { count: 2 });
    const { fleet, screens } = parts;
    const { id, owner } = await startMatch(t, parts, 0);
    const [other] = othersOf(owner, 2);
    fleet.kill(owner, { server: true }); // a server that lives would say that no other TV is there
    await until(async () => (await fleet.state(other)).cutOff, 'the other node is cut off');
    assert.equal(await fleet.ownerOf(id, other), owner);
    screens[other].send({ t: 'start', game: 'bumper' });
    const isNew = (/** @type {{id: number, phase: string}} */ each) =>
      each.id !== id && each.phase === 'play';
    const { matches } = await screens[other].wait('lobby', (lobby) => lobby.matches.some(isNew));
    screens[other].send({ t: 'watch', match: matches.find(isNew).id });
    await screens[other].nextFrame(performance.now(), GIVE_UP_MS);
  });

  it(
    'a TV that is cut off goes on alone with --fleet-partition continue',
    { skip: noNetwork },
    async (t) => {
      const parts = await startFleet(t, { isCut: true, flags: ['--fleet-partition', 'continue'] });
      const { fleet, network, screens } = parts;
      const { id, owner } = await startMatch(t, parts, 0);
      const [other] = othersOf(owner);
      const ownerAt = (/** @type {number} */ i) => fleet.ownerOf(id, i);
      network.cut(owner);
      const cutAt = performance.now();
      await until(async () => ![owner, -1].includes(await ownerAt(other)), 'the majority goes on');
      await screens[owner].nextFrame(cutAt + EXPIRED_MS, GIVE_UP_MS);
      assert.equal((await fleet.state(owner)).cutOff, true);
      network.cut(owner, false);
      await until(async () => {
        if ((await fleet.state(owner)).cutOff) return false;
        const [now, ...owners] = await Promise.all([0, 1, 2].map(ownerAt));
        return now !== owner && owners.every((each) => each === now);
      }, 'the node is back, and all agree on the new owner');
      await screens[owner].nextFrame(performance.now(), GIVE_UP_MS);
    },
  );
});
