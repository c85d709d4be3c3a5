/**
 * A fleet on slow links, with wrong clocks, full disks and TVs of another version: matches go on, and each has one
 * owner.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROTOCOL } from '../../app/fleet/wire.js';
import { FleetNetwork, missingForNetwork } from '../../bench/network/fleet-network.js';
import { missingForLink } from '../../bench/network/link.js';
import { missingForFleet } from '../../bench/harness/local-fleet.js';
import { Client } from '../../bench/harness/client.js';
import { missingForFakeTime, removeFakeTimeFiles, withClock } from '../support/faketime.js';
import { root } from '../support/test-files.js';
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
const noLink = skip || missingForNetwork() || missingForLink() || false;
const noFakeTime = skip || missingForFakeTime || false;
const SLOW = Object.freeze({ lossPercent: 3, delayMs: 20, jitterMs: 30 });
/** For which a match is watched on a slow network. */
const WATCH_MS = 8000;
const DISK = 'size=4m';

/**
 * Kills the TV that runs a match, and waits until another one shows it.
 * @param {Awaited<ReturnType<typeof startFleet>>} parts @param {Awaited<ReturnType<typeof startMatch>>} match
 * @returns {Promise<number>} its new node
 */
async function killOwner({ fleet, screens }, { id, owner }) {
  const [other] = othersOf(owner);
  fleet.kill(owner);
  const moved = await until(
    async () => {
      const now = await fleet.ownerOf(id, other);
      return now >= 0 && now !== owner && { now };
    },
    'another node runs the match',
    GIVE_UP_MS,
  );
  for (const i of othersOf(owner)) await screens[i].nextFrame(performance.now(), GIVE_UP_MS);
  return moved.now;
}

test('on links that are slow and lose packets, matches move', { skip: noLink }, async () => {
  const network = new FleetNetwork(3);
  atEnd(() => network.close());
  const parts = await startFleet({ network });
  const match = await startMatch(parts, 0);
  const stopWatching = watchOwners(parts, match.id);
  await network.degrade(SLOW);
  await sleep(WATCH_MS);
  for (const screen of parts.screens) await screen.nextFrame(performance.now(), GIVE_UP_MS);
  const owner = await until(async () => {
    const now = await parts.fleet.ownerOf(match.id, 0);
    return now >= 0 && { now };
  }, 'a node that runs the match');
  await killOwner(parts, { ...match, owner: owner.now });
  await stopWatching();
});

test('TVs whose clocks differ by two hours are one fleet', { skip: noFakeTime }, async () => {
  const offsets = ['+1h', '+0', '-1h'];
  atEnd(removeFakeTimeFiles);
  const parts = await startFleet({ wrap: (i) => withClock(offsets[i]) });
  const match = await startMatch(parts, 0);
  const stopWatching = watchOwners(parts, match.id);
  const next = await killOwner(parts, match);
  const again = await Client.screen(await parts.fleet.startTv(match.owner));
  atEnd(() => again.vanish());
  await again.wait('lobby', ({ matches }) => matches.length === 1);
  again.send({ t: 'watch', match: match.id });
  parts.screens[match.owner] = again;
  await killOwner(parts, { ...match, owner: next });
  await stopWatching();
});

const noDisks = skip || (process.getuid?.() !== 0 && 'only root can mount small disks');
for (const where of ['its TV', 'all TVs']) {
  test(
    `matches go on and move while JetStream's disk is full (${where})`,
    { skip: noDisks },
    async () => {
      const disks = makeDisks(3);
      const parts = await startFleet({ storeOf: (i) => join(disks[i], 'store') });
      const { code, fleet, screens } = parts;
      const match = await startMatch(parts, 0);
      for (const disk of where === 'all TVs' ? disks : [disks[match.owner]])
        fill(join(disk, 'filler'));
      // Something new for each table.
      const pad = await Client.pad(fleet.nodes[1], { code, name: 'Ben' });
      atEnd(() => pad.vanish());
      await screens[2].wait('lobby', ({ players }) => players.length === 2);
      screens[0].send({ t: 'start', game: 'bumper' });
      await screens[1].wait('lobby', ({ matches }) => matches.length === 2);
      await killOwner(parts, match);
    },
  );
}

test('a TV of another version is refused, and the fleet does not notice', { skip }, async () => {
  const parts = await startFleet();
  const { fleet, screens } = parts;
  const match = await startMatch(parts, 0);
  const cli = otherVersion();
  const [other, last] = othersOf(match.owner);
  const logged = fleet.logs[match.owner].length; // while a fleet starts, a node is alone for a moment
  fleet.kill(last);
  await assert.rejects(fleet.startTv(last, cli), ({ message }) => {
    const versions = `version ${PROTOCOL} of its protocol .* version ${PROTOCOL + 1}`;
    assert.match(message, new RegExp(`PITV_FLEET_VERSION.*${versions}|${versions}`, 's'));
    return true;
  });
  assert.equal(fleet.nodes[last].tv.exitCode, 1);
  await screens[other].nextFrame(performance.now());
  assert.equal(await fleet.ownerOf(match.id, other), match.owner);
  assert.doesNotMatch(fleet.logs[match.owner].slice(logged), /cut off|missed this one/);

  for (const i of [match.owner, other]) fleet.kill(i);
  for (const i of [0, 1, 2]) await fleet.startTv(i, cli); // all at once can be updated
  await until(
    async () => (await fleet.state(0)).nodes.every((/** @type {any} */ { alive }) => alive),
    'all nodes',
  );
});

/** Makes small disks. @param {number} count @returns {string[]} folders */
function makeDisks(count) {
  return Array.from({ length: count }, () => {
    const disk = mkdtempSync(join(tmpdir(), 'pitv-fleet-disk-'));
    atEnd(() => rmdirSync(disk));
    execFileSync('mount', ['-t', 'tmpfs', '-o', DISK, 'pitv-fleet', disk]);
    atEnd(() => execFileSync('umount', ['-l', disk]));
    return disk;
  });
}

/** Copies pitv, with another version of the protocol of a fleet. @returns {string} path of the program */
function otherVersion() {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-fleet-version-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  for (const part of ['app', 'ksm', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  for (const part of ['node_modules', 'build']) symlinkSync(join(root, part), join(folder, part));
  const file = join(folder, 'app/fleet/wire.js');
  const own = `PROTOCOL = ${PROTOCOL};`;
  const source = readFileSync(file, 'utf8');
  assert.ok(source.includes(own));
  writeFileSync(file, source.replace(own, `PROTOCOL = ${PROTOCOL + 1};`));
  return join(folder, 'app/cli.js');
}

/** Fills a disk. @param {string} file */
function fill(file) {
  assert.throws(
    () => {
      for (;;) writeFileSync(file, Buffer.alloc(65536), { flag: 'a' });
    },
    { code: 'ENOSPC' },
  );
}
