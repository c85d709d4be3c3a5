/**
 * Tests the card for the Pi 2 and similar boards on QEMU's `virt`, whose disk and network also work on a slow machine.
 * PITV_QEMU_MACHINE=raspi2b runs these tests on the Pi 2. armhf-pi2.js starts it from its card reader.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { decodeFrame } from '../../support/decode-frame.js';
import { Disk } from '../../../image/qemu/disk.js';
import { readPartitions } from '../../../image/sd/card.js';
import { bootTv, cardFor, checkData, until } from './board.js';
import { checkMerging, measureMemory } from './memory.js';

const MACHINE = process.env.PITV_QEMU_MACHINE ?? 'virt';
const MATCHES = Number(process.env.PITV_MATCHES ?? 2);
const TICKS_PER_SECOND = 60;
/** A whole match takes two minutes of the board's time at most, which passes slowly on a busy machine. */
const MATCH_MS = 40 * 60_000;
/** A match with players is saved every second, and saving takes some time, too. */
const LOST_TICKS = 2 * TICKS_PER_SECOND;
/** Minimum progress of a match before the TV ends, so that a lost checkpoint is noticed. */
const PLAYED_TICKS = 3 * LOST_TICKS;
/** The whole TV needs less unreclaimable memory than this with so many matches. */
const MAX_MEMORY = { matches: 4, bytes: 64e6 };

/** Of games of others. */
const GROUPS = '/sys/fs/cgroup/system.slice/pitv.service/games';

/** Merging is for processes. @type {Readonly<Record<string, string>>} */
const KSM = Object.freeze({ thread: 'off', process: 'identical' });

const { file, why } = await cardFor('armhf');

describe('the card for the Pi 2', { skip: why }, () => {
  /** @type {Disk} */
  let disk;
  /** @type {import('./board.js').Tv} */
  let tv;
  /** @type {Promise<{ended: any, frames: number, seconds: number}>} runs during other tests */
  let match;

  before(async () => {
    disk = await Disk.copyOf(file);
    tv = await bootTv(disk, { board: 'armhf', machine: MACHINE });
    match = playBumper(tv);
    match.catch(() => {}); // reported by the test that awaits it
  });
  after(async () => {
    await tv?.machine.close();
    await disk?.remove();
  });

  test('the memory of the board is not merged by this machine', async () => {
    const smaps = await readFile(`/proc/${tv.machine.pid}/smaps`, 'utf8');
    assert.match(smaps, /^VmFlags: /m);
    assert.doesNotMatch(smaps, /^VmFlags:.* mg\b/m);
  });

  test('no unit failed, and units have no ordering cycles', async () => {
    await tv.sh('systemctl is-system-running --wait || true', { timeoutMs: 900_000 });
    const analysis = 'systemd-analyze time; systemd-analyze critical-chain pitv.service --no-pager';
    console.log(await tv.sh(analysis));
    assert.equal(await tv.complaints(), '');
    const cycles = 'journalctl -b --no-pager -o cat | grep -iE "(ordering|breaking the) cycle"';
    assert.equal((await tv.sh(`${cycles} || true`)).trim(), '');
  });

  test('the root is read-only, and the data partition is resized to the end of the card', async () => {
    const { status } = await tv.machine.run('touch /etc/x', { check: false });
    assert.notEqual(status, 0);
    const kib = Number((await tv.sh('df -k --output=size /data | tail -n 1')).trim());
    assert.ok(kib > 400 * 1024, `${kib} KiB`);
  });

  test('the TV is unprivileged and sandboxed, and there is no login prompt', async () => {
    const security = 'systemd-analyze security pitv.service --no-pager | tail -n 1';
    const exposure = await tv.sh(security, { timeoutMs: 600_000 });
    console.log(exposure.trim());
    const [, level] = /: ([\d.]+) /.exec(exposure) ?? [];
    assert.ok(Number(level) < 2, exposure);
    const pid = (await tv.sh('systemctl show -P MainPID pitv')).trim();
    assert.match(await tv.sh(`grep ^Uid: /proc/${pid}/status`), /^Uid:(\s+970){4}$/m);
    const list = 'systemctl list-units --no-legend --plain --state=active';
    assert.equal((await tv.sh(`${list} "*getty*.service"`)).trim(), '');
    assert.match(await tv.sh('cat /run/pitv-tv/console'), /pitv/);
  });

  test('page, websocket and a match of Bumper over the network', async () => {
    const page = await fetch(tv.url);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<title>/);
    const { ended, frames, seconds } = await match;
    const scores = ended.results.map((/** @type {any} */ each) => `${each.name} ${each.score}`);
    console.log(`# a whole match: ${seconds.toFixed(0)} s, ${frames} frames, ${scores.join(', ')}`);
    assert.equal(ended.reason, 'done');
    const names = ended.results.map((/** @type {any} */ each) => each.name).sort();
    assert.deepEqual(names, ['Ann', 'Ben', 'Bot', 'Bot']);
    const text = await tv.sh('journalctl -u pitv --no-pager -o cat');
    assert.doesNotMatch(text, /"reason":"(hung|crashed|out-of-memory)"/);
  });

  test('Kick-off runs locked, in a control group of its own', async () => {
    const screen = await tv.screen(); // which knows the code
    const pad = await tv.pad('Kim');
    const hasKickOff = (/** @type {any} */ { games }) =>
      games.some((/** @type {any} */ { id }) => id === 'kick-off');
    await pad.next('lobby', hasKickOff); // it is installed after the first start
    pad.socket.close();
    screen.send({ t: 'start', game: 'kick-off' });
    const { match } = await screen.next('watch', (message) => message.match !== null);
    await screen.moreFrames(10);
    const limits = await tv.sh(
      `cd ${GROUPS}; for p in $(cat */cgroup.procs); do grep ^Seccomp: /proc/$p/status; done; cat */pids.max */memory.max */memory.current; cat cpu.weight`,
    );
    console.log(`# the group of Kick-off: ${limits.trim().split('\n').join(', ')}`);
    assert.match(limits, /^Seccomp:\s+2\n64\n\d{9,}\n[1-9]\d+\n33$/m);
    await stop(screen, match);
    const groups = async () => (await tv.sh(`find ${GROUPS} -mindepth 1 -type d`)).trim();
    await until(async () => (await groups()) === '', 'its end');
  });

  test(`zygote: ${MATCHES} matches run at the same time`, async () => {
    // The best available engine is the default.
    assert.equal((await tv.json('/healthz')).engine, 'zygote');
    await startMatches(tv, MATCHES); // their screens stay connected, because a match without spectators ends
    console.log(`# zygote: ${(await measureMemory(tv)).text}`);
  });

  test(`zygote: unreclaimable memory with ${MAX_MEMORY.matches} matches is below 64 MB`, async () => {
    const screens = await startMatches(tv, MAX_MEMORY.matches - MATCHES);
    assert.equal((await running(tv)).size, MAX_MEMORY.matches);
    const { text, unreclaimableKib } = await measureMemory(tv);
    console.log(`# zygote, ${MAX_MEMORY.matches} matches: ${text}`);
    assert.ok(unreclaimableKib * 1024 < MAX_MEMORY.bytes, text);
    for (const { screen, match } of screens) await stop(screen, match);
  });

  for (const engine of ['thread', 'process']) {
    test(`${engine}: the TV ends at SIGTERM, and its matches continue after the restart`, async () => {
      const before = await running(tv);
      assert.equal(before.size, MATCHES);
      const health = await tv.restart({ PITV_ENGINE: engine, PITV_KSM: KSM[engine] });
      assert.equal(health.engine, engine);
      await watchMatches(tv, before);
      console.log(`# ${engine}: ${(await measureMemory(tv)).text}`);
      if (engine === 'process') await checkMerging(tv);
    });
  }

  test('a match with players continues after a power cut', async () => {
    const screen = await tv.screen();
    const pad = await tv.pad('Ann');
    pad.send({ t: 'start', game: 'bumper' });
    const { match } = await pad.next('match');
    screen.send({ t: 'watch', match });
    await screen.next('watch', (message) => message.match === match);
    const before = await played(screen);
    await tv.machine.cut();
    await checkData(disk);

    tv = await bootTv(disk, { board: 'armhf', machine: MACHINE });
    const after = (await running(tv)).get(match) ?? 0;
    console.log(`# tick ${before} at the power cut, ${after} after the restart`);
    assert.ok(after >= before - LOST_TICKS, `${after}`);
  });

  test('power off during a match: everything is unmounted, and the data partition is clean', async () => {
    assert.equal((await running(tv)).size, MATCHES + 1);
    const text = await tv.machine.powerOff({ timeoutMs: 600_000 });
    assert.doesNotMatch(text, /Failed (to )?unmount|timed out/i);
    const data = (await readPartitions(disk.file))[2];
    const at = `${disk.file}?offset=${data.start}`;
    const check = spawnSync('/sbin/e2fsck', ['-fn', at], { encoding: 'utf8' });
    assert.equal(check.status, 0, check.stdout + check.stderr);
    assert.doesNotMatch(check.stdout, /recovering journal/);
  });
});

/** Plays a match of two players and two bots. @param {import('./board.js').Tv} tv */
async function playBumper(tv) {
  const screen = await tv.screen();
  const ann = await tv.pad('Ann');
  const ben = await tv.pad('Ben');
  const started = performance.now();
  ann.send({ t: 'start', game: 'bumper' });
  const { match } = await screen.next('watch', (message) => message.match !== null);
  await ben.next('match');
  await screen.moreFrames(10);
  // Ann drives in one direction, Ben does nothing.
  const driving = setInterval(() => ann.input(127, 0), 200);
  const ended = await screen
    .wait('ended', (message) => message.match === match, 0, MATCH_MS)
    .finally(() => clearInterval(driving));
  for (const client of [screen, ann, ben]) client.socket.close();
  return { ended, frames: screen.frames, seconds: (performance.now() - started) / 1000 };
}

/**
 * Starts matches without players.
 * @param {import('./board.js').Tv} tv @param {number} count
 * @returns the screens that watch them
 */
async function startMatches(tv, count) {
  const screens = [];
  for (let n = 0; n < count; n++) {
    const screen = await tv.screen();
    screen.send({ t: 'start', game: 'collide', options: { bodies: 250 } });
    const { match } = await screen.next('watch', (message) => message.match !== null);
    await played(screen);
    screens.push({ screen, match });
  }
  return screens;
}

/** Stops a match, and disconnects its screen. @param {any} screen @param {number} match */
async function stop(screen, match) {
  screen.send({ t: 'stop', match });
  await screen.next('ended', (/** @type {any} */ message) => message.match === match);
  screen.socket.close();
}

/** Waits until a screen's match has made enough progress. @param {any} screen @returns {Promise<number>} its tick */
async function played(screen) {
  await screen.moreFrames(1);
  const tick = () => decodeFrame(/** @type {Buffer} */ (screen.frame)).tick;
  await screen.until(() => tick() > PLAYED_TICKS, 'some play');
  return tick();
}

/**
 * Returns the running matches.
 * @param {import('./board.js').Tv} tv @returns {Promise<Map<number, number>>} match -> ticks
 */
async function running(tv) {
  const { matches } = await tv.json('/api/matches');
  return new Map(matches.map((/** @type {any} */ { id, ticks }) => [id, ticks]));
}

/**
 * Checks that matches continue after a restart of the TV.
 * @param {import('./board.js').Tv} tv @param {Map<number, number>} before match -> ticks before the restart
 */
async function watchMatches(tv, before) {
  for (const [match, ticks] of before) {
    const screen = await tv.screen();
    screen.send({ t: 'watch', match });
    await screen.next('watch', (message) => message.match === match);
    await screen.moreFrames(3);
    const { tick } = decodeFrame(/** @type {Buffer} */ (screen.frame));
    assert.ok(tick >= ticks, `match ${match}: tick ${tick}, was ${ticks}`);
  }
  assert.deepEqual([...(await running(tv)).keys()].sort(), [...before.keys()].sort());
}
