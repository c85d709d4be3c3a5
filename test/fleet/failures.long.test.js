/** What may happen to a fleet: nodes and servers that die, are cut off, are suspended and come back. */
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HEADER_AT } from '../../app/game/frame.js';
import { FleetNetwork, missingForNetwork } from '../../bench/network/fleet-network.js';
import { missingForFleet } from '../../bench/harness/local-fleet.js';
import { until } from '../support/tv.js';
import {
  GIVE_UP_MS,
  atEnd,
  endAll,
  othersOf,
  startFleet,
  startMatch,
  watchOwners,
} from './play.js';

const skip = missingForFleet ?? false;
afterEach(endAll);
/** Longer than a lease and the time until a node is declared dead. */
const EXPIRED_MS = 4000;
const SUSPENDED_MS = 10_000;
/** @type {[what: string, signal: NodeJS.Signals][]} */
const SERVER_FAILURES = [
  ['is killed', 'SIGKILL'],
  ['is suspended', 'SIGSTOP'],
];

describe('a fleet of three', { skip }, () => {
  test('two TVs lose power one after the other: the last majority goes on', async () => {
    const parts = await startFleet();
    const { fleet, screens } = parts;
    const { id, owner } = await startMatch(parts, 0);
    const [next, last] = othersOf(owner);
    fleet.kill(owner, { server: true });
    await screens[last].nextFrame(performance.now() + 500, GIVE_UP_MS);
    await fleet.startServer(owner);
    await fleet.startTv(owner);
    const second = await fleet.ownerOf(id, last);
    const witness = second === last ? next : last;
    fleet.kill(second, { server: true });
    await screens[witness].nextFrame(performance.now() + 500, GIVE_UP_MS);
    assert.notEqual(await fleet.ownerOf(id, witness), second);
  });

  for (const [what, signal] of SERVER_FAILURES) {
    test(`a server ${what}: its TV uses another one, and matches go on`, async () => {
      const parts = await startFleet();
      const { fleet, screens } = parts;
      const { id, owner } = await startMatch(parts, 0);
      const stopWatching = watchOwners(parts, id);
      fleet.servers[owner].kill(signal);
      await sleep(signal === 'SIGSTOP' ? SUSPENDED_MS : EXPIRED_MS);
      const goesOn = async () => {
        for (const screen of screens) await screen.nextFrame(performance.now(), GIVE_UP_MS);
        const { cutOff, matches } = await fleet.state(owner);
        assert.equal(cutOff, false);
        assert.ok(matches.some((/** @type {any} */ each) => each.id === id));
      };
      await goesOn();
      fleet.servers[owner].kill('SIGCONT'); // what it has not sent yet comes now
      await sleep(EXPIRED_MS);
      await goesOn();
      await stopWatching();
    });
  }

  test('a TV is suspended for ten seconds: it shows nothing of a match that has moved', async () => {
    const parts = await startFleet();
    const { fleet, screens } = parts;
    const { id, owner } = await startMatch(parts, 0);
    const [other] = othersOf(owner);
    fleet.nodes[owner].tv.kill('SIGSTOP');
    await sleep(SUSPENDED_MS);
    const moved = await until(async () => {
      const now = await fleet.ownerOf(id, other);
      return now !== owner && [now];
    }, 'another node runs the match');
    /** @type {number[]} */
    const ticks = [];
    screens[owner].socket.on('message', (data, isBinary) => {
      if (isBinary) ticks.push(/** @type {Buffer} */ (data).readUInt32LE(HEADER_AT.tick));
    });
    fleet.nodes[owner].tv.kill('SIGCONT');
    const resumed = performance.now();
    await screens[owner].nextFrame(resumed + 1000, GIVE_UP_MS);
    // Its own worker has gone on all the time, so it is ahead of the one that took over from a checkpoint.
    const inOrder = ticks.toSorted((a, b) => a - b);
    assert.deepEqual(ticks, inOrder, 'frames of its own worker were shown first');
    assert.equal(await fleet.ownerOf(id, owner), moved[0]);
    assert.equal(await fleet.ownerOf(id, other), moved[0]);
    await until(
      () => /has taken over|was stopped|missed this one/.test(fleet.logs[owner]),
      'a log line',
    );
  });

  test('a drain moves a match in a moment, and its player plays on', async (t) => {
    const parts = await startFleet();
    const { fleet, screens } = parts;
    const { id, owner, pad } = await startMatch(parts, 0);
    const [other] = othersOf(owner);
    const began = performance.now();
    fleet.nodes[owner].tv.kill('SIGTERM');
    await until(async () => (await fleet.ownerOf(id, other)) !== owner, 'the match has moved');
    const { frameTimes } = screens[other];
    await screens[other].nextFrame(performance.now());
    const gaps = frameTimes
      .filter((at) => at > began - 500)
      .map((at, i, all) => (i > 0 ? at - all[i - 1] : 0));
    t.diagnostic(`longest gap between two frames: ${Math.round(Math.max(...gaps))} ms`);
    if (owner === 0) await pad.connect(fleet.nodes[other]);
    await pad.wait('hud', () => true, pad.messages.length);
    assert.equal(
      pad.messages.find(({ t }) => t === 'ended'),
      undefined,
    );
  });
});

describe('a fleet of two', { skip }, () => {
  test('a TV is killed: its matches wait, and the other one says that it is cut off', async () => {
    const parts = await startFleet({ count: 2 });
    const { fleet, screens } = parts;
    const { id, owner } = await startMatch(parts, 0);
    const [other] = othersOf(owner, 2);
    fleet.kill(owner);
    await until(async () => (await fleet.state(other)).cutOff, 'the other node is cut off');
    assert.equal(await fleet.ownerOf(id, other), owner);
    screens[other].send({ t: 'start', game: 'bumper' });
    const isNew = (/** @type {{id: number, phase: string}} */ each) =>
      each.id !== id && each.phase === 'play';
    await screens[other].wait('lobby', ({ matches }) => matches.some(isNew));
  });
});

const missing = skip || missingForNetwork();
describe('a fleet in a network that breaks', { skip: missing ?? false }, () => {
  for (const [what, ways] of /** @type {[string, number][]} */ ([
    ['neither hears the other', 2],
    ['one does not hear the other', 1],
  ])) {
    test(`two TVs reach a third one, and ${what}: all screens go on`, async () => {
      const network = new FleetNetwork(3);
      atEnd(() => network.close());
      const parts = await startFleet({ network });
      const { fleet, screens } = parts;
      const { owner } = await startMatch(parts, 0);
      const [deaf] = othersOf(owner);
      network.cutWay(owner, deaf);
      if (ways === 2) network.cutWay(deaf, owner);
      await until(() => /using another one/.test(fleet.logs.join('')), 'a TV leaves its server');
      const left = performance.now();
      for (const screen of screens) await screen.nextFrame(left, GIVE_UP_MS);
      await sleep(EXPIRED_MS); // longer than beats of before are known
      for (const screen of screens) await screen.nextFrame(performance.now(), GIVE_UP_MS);
    });
  }

  for (const partition of ['pause', 'continue']) {
    test(`a TV is cut off, with --fleet-partition ${partition}`, async () => {
      const network = new FleetNetwork(3);
      atEnd(() => network.close());
      const parts = await startFleet({ network, flags: ['--fleet-partition', partition] });
      const { fleet, screens } = parts;
      const { id, owner } = await startMatch(parts, 0);
      const others = othersOf(owner);
      network.cut(owner);
      const cutAt = performance.now();
      await until(async () => {
        const now = await fleet.ownerOf(id, others[0]);
        return now >= 0 && now !== owner;
      }, 'the majority goes on');
      const movedAt = performance.now();
      for (const other of others) await screens[other].nextFrame(movedAt, GIVE_UP_MS);
      await until(async () => (await fleet.state(owner)).cutOff, 'it knows that it is cut off');
      const shown = screens[owner].frameTimes.filter((at) => at > movedAt);
      if (partition === 'pause') assert.equal(shown.length, 0, 'no second owner reaches a screen');
      else {
        const isLater = (/** @type {number} */ at) => at > cutAt + EXPIRED_MS / 2;
        await until(() => screens[owner].frameTimes.some(isLater), 'it goes on alone');
      }
      network.cut(owner, false);
      await until(async () => {
        if ((await fleet.state(owner)).cutOff) return false;
        const owners = await Promise.all([0, 1, 2].map((i) => fleet.ownerOf(id, i)));
        return owners[0] !== owner && owners.every((each) => each === owners[0]);
      }, 'the node is back, and all agree on the new owner');
      await screens[owner].nextFrame(performance.now(), GIVE_UP_MS);
    });
  }
});
