/**
 * The card for the Pi 2 and its likes. That it starts from the card reader of a Pi 2 and is on its network is
 * seen on QEMU's Pi 2; everything a person would do with it on QEMU's `virt`, whose disk and network stand
 * a slow machine. PITV_QEMU_MACHINE=raspi2b does it all on the Pi 2.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { decodeFrame } from '../../support/decode-frame.js';
import { Disk } from '../../../image/qemu/disk.js';
import { readPartitions } from '../../../image/sd/card.js';
import { bootTv, cardFor, checkData } from './board.js';

const MACHINE = process.env.PITV_QEMU_MACHINE ?? 'virt';
const MATCHES = Number(process.env.PITV_MATCHES ?? 2);
const TICKS_PER_SECOND = 60;
/** A match that people play is kept each second, and that takes a moment, too. */
const LOST_TICKS = 2 * TICKS_PER_SECOND;
/** So far matches have come before the TV ends: without what was kept they would be far behind. */
const PLAYED_TICKS = 3 * LOST_TICKS;
/** Equal pages of two workers that are found before the test believes in merging: 1 MiB. */
const PAGES_SHARED = 256;

/** Merging is for processes. @type {Readonly<Record<string, string>>} */
const KSM = Object.freeze({ thread: 'off', process: 'identical' });

const { file, why } = await cardFor('armhf');

/** @param {string} title @param {() => Promise<void>} look */
const bootTest = (title, look) => test(title, { skip: why }, look);

describe('the card for the Pi 2', () => {
  /** @type {Disk} */
  let disk;
  /** @type {import('./board.js').Tv} */
  let tv;
  /** @type {Promise<{ended: any, frames: number, seconds: number}>} goes on while other things are looked at */
  let match;

  before(async () => {
    if (why) return;
    disk = await Disk.copyOf(file);
    tv = await bootTv(disk, { board: 'armhf', machine: MACHINE });
    match = playBumper(tv);
    match.catch(() => {}); // told by the test that waits for it
  });
  after(async () => {
    await tv?.machine.close();
    await disk?.remove();
  });

  bootTest('the board’s memory is nothing that this machine would merge', async () => {
    const smaps = await readFile(`/proc/${tv.machine.pid}/smaps`, 'utf8');
    assert.match(smaps, /^VmFlags: /m);
    assert.doesNotMatch(smaps, /^VmFlags:.* mg\b/m);
  });

  bootTest('no unit failed, nothing waits for itself, and it says what took how long', async () => {
    await tv.sh('systemctl is-system-running --wait || true', { timeoutMs: 900_000 });
    console.log(
      await tv.sh('systemd-analyze time; systemd-analyze critical-chain pitv.service --no-pager'),
    );
    assert.equal(await tv.complaints(), '');
    const journal = await tv.sh(
      'journalctl -b --no-pager -o cat | grep -iE "ordering cycle|breaking the cycle" || true',
    );
    assert.equal(journal.trim(), '');
  });

  bootTest(
    'the root cannot be written to, the data partition has grown to the size of the card',
    async () => {
      const { status } = await tv.machine.run('touch /etc/x', { check: false });
      assert.notEqual(status, 0);
      const kib = Number((await tv.sh('df -k --output=size /data | tail -n 1')).trim());
      assert.ok(kib > 400 * 1024, `${kib} KiB`);
    },
  );

  bootTest('the TV is unprivileged and sandboxed, and there is no login prompt', async () => {
    const exposure = await tv.sh('systemd-analyze security pitv.service --no-pager | tail -n 1', {
      timeoutMs: 600_000,
    });
    console.log(exposure.trim());
    const [, level] = /: ([\d.]+) /.exec(exposure) ?? [];
    assert.ok(Number(level) < 2, exposure);
    const pid = (await tv.sh('systemctl show -P MainPID pitv')).trim();
    assert.match(await tv.sh(`grep ^Uid: /proc/${pid}/status`), /^Uid:(\s+970){4}$/m);
    assert.equal(
      (
        await tv.sh('systemctl list-units --no-legend --plain --state=active "*getty*.service"')
      ).trim(),
      '',
    );
    assert.match(await tv.sh('cat /run/pitv-tv/console'), /pitv/);
  });

  bootTest('page, websocket and a whole match of bumper from outside', async () => {
    const page = await fetch(tv.url);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<title>/);
    const { ended, frames, seconds } = await match;
    const results = ended.results.map((/** @type {any} */ each) => ({
      name: each.name,
      score: each.score,
    }));
    console.log(
      `# a whole match: ${seconds.toFixed(0)} s, ${frames} frames, ${JSON.stringify(results)}`,
    );
    assert.equal(ended.reason, 'done');
    assert.deepEqual(results.map((/** @type {any} */ each) => each.name).sort(), [
      'Ann',
      'Ben',
      'Bot',
      'Bot',
    ]);
    const said = await tv.sh('journalctl -u pitv --no-pager -o cat');
    assert.doesNotMatch(said, /"reason":"(hung|crashed|out-of-memory)"/);
  });

  bootTest(`zygote: ${MATCHES} matches side by side, and what they need`, async () => {
    // It started with the best engine there is.
    assert.equal((await tv.json('/healthz')).engine, 'zygote');
    await startMatches(tv); // their screens stay: what nobody watches ends
    console.log(`# zygote: ${await memory(tv)}`);
  });

  for (const engine of ['thread', 'process']) {
    bootTest(`${engine}: the TV ends at SIGTERM, its matches go on in it`, async () => {
      const before = await running(tv);
      assert.equal(before.size, MATCHES);
      const health = await tv.restart({ PITV_ENGINE: engine, PITV_KSM: KSM[engine] });
      assert.equal(health.engine, engine);
      await watchMatches(tv, before);
      console.log(`# ${engine}: ${await memory(tv)}`);
      if (engine === 'process') await merges(tv);
    });
  }

  bootTest('a match that people play continues after a power cut', async () => {
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
    console.log(`# tick ${before} as the plug was pulled, ${after} when it was back`);
    assert.ok(after >= before - LOST_TICKS, `${after}`);
  });

  bootTest(
    'power off in the middle of a match: everything is unmounted, the data partition is clean',
    async () => {
      assert.equal((await running(tv)).size, MATCHES + 1);
      const said = await tv.machine.powerOff({ timeoutMs: 600_000 });
      assert.doesNotMatch(said, /Failed (to )?unmount|timed out/i);
      const data = (await readPartitions(disk.file))[2];
      const at = `${disk.file}?offset=${data.start}`;
      const check = spawnSync('/sbin/e2fsck', ['-fn', at], { encoding: 'utf8' });
      assert.equal(check.status, 0, check.stdout + check.stderr);
      assert.doesNotMatch(check.stdout, /recovering journal/);
    },
  );
});

bootTest(
  'on the Pi 2 itself: from its card reader to its network, some play, and off',
  async () => {
    const disk = await Disk.copyOf(file);
    const tv = await bootTv(disk, { board: 'armhf', machine: 'raspi2b' });
    try {
      const page = await fetch(tv.url);
      assert.equal(page.status, 200);
      const screen = await tv.screen();
      assert.deepEqual(tv.problems, []);
      const pad = await tv.pad('Ann');
      pad.send({ t: 'start', game: 'bumper' });
      const { match, slot } = await pad.next('match');
      await screen.moreFrames(10);
      pad.input(127, 0);
      await screen.until(() => {
        const frame = decodeFrame(/** @type {Buffer} */ (screen.frame));
        return frame.players[slot].inputSequence > 0;
      }, 'the input in a frame');
      pad.send({ t: 'stop' });
      const ended = await screen.next('ended', (message) => message.match === match);
      assert.equal(ended.reason, 'stopped');
      for (const client of [screen, pad]) client.socket.close();
      assert.equal(await tv.complaints(), '');
      await tv.machine.powerOff({ timeoutMs: 600_000 });
    } finally {
      await tv.machine.close();
      await disk.remove();
    }
  },
);

/** Two people against two bots, to the end. @param {import('./board.js').Tv} tv */
async function playBumper(tv) {
  const screen = await tv.screen();
  const ann = await tv.pad('Ann');
  const ben = await tv.pad('Ben');
  const started = performance.now();
  ann.send({ t: 'start', game: 'bumper' });
  const { match } = await screen.next('watch', (message) => message.match !== null);
  await ben.next('match');
  await screen.moreFrames(10);
  // Ann drives one way all the time, Ben stands there.
  const driving = setInterval(() => ann.input(127, 0), 200);
  const ended = await screen
    .next('ended', (message) => message.match === match)
    .finally(() => clearInterval(driving));
  for (const client of [screen, ann, ben]) client.socket.close();
  return { ended, frames: screen.frames, seconds: (performance.now() - started) / 1000 };
}

/** @param {import('./board.js').Tv} tv */
async function startMatches(tv) {
  for (let n = 0; n < MATCHES; n++) {
    const screen = await tv.screen();
    screen.send({ t: 'start', game: 'collide', options: { bodies: 250 } });
    await screen.next('watch', (message) => message.match !== null);
    await played(screen);
  }
}

/** Waits until the match that a screen shows has come far enough. @param {any} screen @returns {Promise<number>} its tick */
async function played(screen) {
  await screen.moreFrames(1);
  const tick = () => decodeFrame(/** @type {Buffer} */ (screen.frame)).tick;
  await screen.until(() => tick() > PLAYED_TICKS, 'some play');
  return tick();
}

/** @param {import('./board.js').Tv} tv @returns {Promise<Map<number, number>>} match -> ticks */
async function running(tv) {
  const { matches } = await tv.json('/api/matches');
  return new Map(matches.map((/** @type {any} */ { id, ticks }) => [id, ticks]));
}

/**
 * Looks at the matches that went on when the TV was started again.
 * @param {import('./board.js').Tv} tv @param {Map<number, number>} before match -> ticks when it ended
 */
async function watchMatches(tv, before) {
  for (const [match, ticks] of before) {
    const screen = await tv.screen();
    screen.send({ t: 'watch', match });
    await screen.next('watch', (message) => message.match === match);
    await screen.moreFrames(3);
    const { tick } = decodeFrame(/** @type {Buffer} */ (screen.frame));
    assert.ok(tick >= ticks, `tick ${tick} of match ${match}, it had come to ${ticks}`);
  }
  assert.deepEqual([...(await running(tv)).keys()].sort(), [...before.keys()].sort());
}

/** @param {import('./board.js').Tv} tv @returns {Promise<string>} PSS of all of the TV's processes */
async function memory(tv) {
  const told = await tv.sh(
    'for p in $(cat /sys/fs/cgroup/system.slice/pitv.service/cgroup.procs); do echo $(tr "\\0" " " </proc/$p/cmdline | cut -c1-40)=$(sed -n "s/^Pss: *\\([0-9]*\\) kB/\\1/p" /proc/$p/smaps_rollup); done',
  );
  const each = told
    .trim()
    .split('\n')
    .map(
      (line) =>
        /** @type {[string, number]} */ ([line.split('=')[0], Number(line.split('=').pop())]),
    );
  const total = each.reduce((sum, [, kib]) => sum + kib, 0);
  assert.ok(total > 0);
  return `PSS ${total} KiB: ${each.map(([name, kib]) => `${name} ${kib}`).join(', ')}`;
}

/** @param {import('./board.js').Tv} tv */
async function merges(tv) {
  await tv.sh('touch /run/pitv/ksm; systemctl start pitv-ksm');
  await tv.sh(
    `for i in $(seq 900); do [ $(cat /sys/kernel/mm/ksm/pages_sharing) -gt ${PAGES_SHARED} ] && exit 0; sleep 1; done; exit 1`,
    { timeoutMs: 1_000_000 },
  );
  const status = await tv.sh('pitv ksm status', { timeoutMs: 600_000 });
  console.log(status);
  const [, mib] = /^saved ([\d.]+) MiB/m.exec(status) ?? [];
  assert.ok(Number(mib) > 0, status);
}
