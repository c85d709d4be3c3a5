/**
 * Tests the card for the Pi 2 and similar boards on QEMU's `virt`, whose disk and network also work on a slow machine.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeFrame, showsInput } from '../../support/decode-frame.js';
import { Disk } from '../../../image/qemu/disk.js';
import { readPartitions } from '../../../image/sd/card.js';
import { run } from '../../../image/sd/shell.js';
import { bootTv, cardFor, checkData, until } from './board.js';

/** Two seconds: a match with players is saved every second, and saving takes some time, too. */
const LOST_TICKS = 2 * 60;
/** Minimum progress of a match before the TV ends, so that a lost checkpoint is noticed. */
const PLAYED_TICKS = 3 * LOST_TICKS;

/** Of games of others. */
const GROUPS = '/sys/fs/cgroup/system.slice/pitv.service/games';

const { file, why } = await cardFor('armhf');

describe('the card for the Pi 2', { skip: why }, () => {
  /** @type {Disk} */
  let disk;
  /** @type {import('./board.js').Tv} */
  let tv;
  /** The match that goes on after a power cut. @type {number} */
  let kept;

  before(async () => {
    disk = await Disk.copyOf(file);
    tv = await bootTv(disk, { board: 'armhf', machine: 'virt' });
  });
  after(async () => {
    await tv?.machine.cut();
    await disk?.remove();
  });

  test('no unit failed, and units have no ordering cycles', async () => {
    await tv.sh('systemctl is-system-running --wait || true');
    assert.equal(await tv.complaints(), '');
    assert.doesNotMatch(await tv.sh('journalctl -b -o cat'), /(ordering|breaking the) cycle/i);
  });

  test('the root is read-only, and the data partition is resized to the end of the card', async () => {
    await tv.sh('! touch /etc/x');
    const kib = Number(await tv.sh('df -k --output=size /data | tail -n 1'));
    assert.ok(kib > 400 * 1024, `${kib} KiB`);
  });

  test('the TV is unprivileged, and there is no login prompt', async () => {
    const pid = (await tv.sh('systemctl show -P MainPID pitv')).trim();
    assert.match(await tv.sh(`grep ^Uid: /proc/${pid}/status`), /^Uid:(\s+970){4}$/m);
    const list = 'systemctl list-units --no-legend --plain --state=active';
    assert.equal((await tv.sh(`${list} "*getty*.service"`)).trim(), '');
    assert.match(await tv.sh('cat /run/pitv-tv/console'), /pitv/);
  });

  test('page, websocket and a match over the network, in the best engine', async () => {
    const page = await fetch(tv.url);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<title>/);
    // It is called `auto` until it has been chosen, which the start does not wait for.
    await until(async () => (await tv.json('/healthz')).engine === 'zygote', 'the zygote');
    const screen = await tv.screen();
    assert.deepEqual(tv.problems, []);
    const pad = await tv.pad('Ann');
    const { match, slot } = await pad.start('bumper');
    await showsInput(screen, pad, slot);
    pad.send({ t: 'stop', match });
    await screen.next('ended', (message) => message.match === match);
    for (const client of [screen, pad]) client.socket.close();
  });

  test('Kick-off runs locked, in a control group of its own', async () => {
    const screen = await tv.screen(); // which knows the code
    const pad = await tv.pad('Kim');
    // It is installed after the first start.
    await pad.next('lobby', ({ games }) => JSON.stringify(games).includes('"id":"kick-off"'));
    pad.socket.close();
    screen.send({ t: 'start', game: 'kick-off' });
    const { match } = await screen.next('watch', (message) => message.match !== null);
    await screen.moreFrames(10);
    const limits = await tv.sh(
      `cd ${GROUPS}; for p in $(cat */cgroup.procs); do grep ^Seccomp: /proc/$p/status; done; cat */pids.max */memory.max */memory.current; cat cpu.weight`,
    );
    assert.match(limits, /^Seccomp:\s+2\n64\n\d{9,}\n[1-9]\d+\n33$/m);
    screen.send({ t: 'stop', match });
    await screen.next('ended', (message) => message.match === match);
    screen.socket.close();
    const groups = async () => (await tv.sh(`find ${GROUPS} -mindepth 1 -type d`)).trim();
    await until(async () => (await groups()) === '', 'its end');
  });

  test('the TV ends cleanly, and memory of equal workers is merged', async () => {
    await tv.sh('systemctl stop pitv');
    const result = await tv.sh('systemctl show -p Result -p ExecMainStatus pitv | sort');
    assert.equal(result.trim(), 'ExecMainStatus=0\nResult=success');
    const settings = 'printf "PITV_ENGINE=process\\nPITV_KSM=identical\\n" >>/run/pitv/tv.env';
    await tv.sh(`${settings}; touch /run/pitv/ksm; systemctl start pitv pitv-ksm`);
    for (let n = 0; n < 2; n++) {
      const screen = await tv.screen();
      screen.send({ t: 'start', game: 'collide', options: { bodies: 250 } });
      await screen.next('watch', (message) => message.match !== null);
    }
    const shared = 'cat /sys/kernel/mm/ksm/pages_sharing';
    await tv.sh(
      `for i in $(seq 800); do [ $(${shared}) -gt 256 ] && exit 0; sleep 1; done; exit 1`,
    );
    const status = await tv.sh('pitv ksm status');
    const [, mib] = /^saved ([\d.]+) MiB/m.exec(status) ?? [];
    assert.ok(Number(mib) > 0, status);
  });

  test('a match with players continues after a power cut', async () => {
    const screen = await tv.screen();
    const pad = await tv.pad('Ann');
    ({ match: kept } = await pad.start('bumper'));
    screen.send({ t: 'watch', match: kept });
    await screen.next('watch', (message) => message.match === kept);
    await screen.moreFrames(1);
    const tick = () => decodeFrame(/** @type {Buffer} */ (screen.frame)).tick;
    await screen.until(() => tick() > PLAYED_TICKS, 'some play');
    const before = tick();
    const failures = /"reason":"(hung|crashed|out-of-memory)"/;
    assert.doesNotMatch(await tv.sh('journalctl -u pitv --no-pager -o cat'), failures);
    await tv.machine.cut();
    await checkData(disk);

    tv = await bootTv(disk, { board: 'armhf', machine: 'virt' });
    const after = await ticksOf(tv, kept);
    console.log(`# tick ${before} at the power cut, ${after} after the restart`);
    assert.ok(after >= before - LOST_TICKS, `${after}`);
  });

  test('power off during a match: everything is unmounted, and the data partition is clean', async () => {
    assert.ok((await ticksOf(tv, kept)) > 0);
    const text = await tv.machine.powerOff();
    assert.doesNotMatch(text, /Failed (to )?unmount|timed out/i);
    const data = (await readPartitions(disk.file))[2];
    const checked = await run('e2fsck', ['-fn', `${disk.file}?offset=${data.start}`]);
    assert.doesNotMatch(checked, /recovering journal/);
  });
});

/**
 * Returns how long a match has run.
 * @param {import('./board.js').Tv} tv @param {number} match @returns {Promise<number>} ticks; 0 if it does not run
 */
async function ticksOf(tv, match) {
  const { matches } = await tv.json('/api/matches');
  return matches.find((/** @type {any} */ { id }) => id === match)?.ticks ?? 0;
}
