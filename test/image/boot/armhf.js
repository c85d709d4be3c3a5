/** The card for the Pi 2 and its likes, booted on QEMU's Pi 2: everything a person would do with it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { ENGINES } from '../../../app/engine/index.js';
import { readPartitions } from '../../../image/sd/card.js';
import { bootTv, cardOf } from './board.js';

const machineName = process.env.PITV_QEMU_MACHINE;
const MATCHES = 4;

/** @type {import('../../../image/qemu/disk.js').Disk} */
let disk;
/** @type {import('./board.js').Tv} */
let tv;

before(async () => {
  disk = await cardOf('armhf');
  tv = await bootTv(disk, { board: 'armhf', machine: machineName });
});
after(async () => {
  await tv?.machine.close();
  await disk?.remove();
});

test('no unit failed, nothing waits for itself, and it says what took how long', async () => {
  console.log(
    await tv.sh('systemd-analyze time; systemd-analyze critical-chain pitv.service --no-pager'),
  );
  assert.equal((await tv.sh('systemctl --failed --no-legend --plain --no-pager')).trim(), '');
  const journal = await tv.sh(
    'journalctl -b --no-pager -o cat | grep -iE "ordering cycle|breaking the cycle" || true',
  );
  assert.equal(journal.trim(), '');
  assert.equal((await tv.sh('cat /run/pitv/problems/* 2>/dev/null || true')).trim(), '');
});

test('the root cannot be written to, the data partition has grown to the size of the card', async () => {
  const { status } = await tv.machine.run('touch /etc/x', { check: false });
  assert.notEqual(status, 0);
  const [, kib] =
    /^(\d+)/m.exec(await tv.sh('df -k --output=size /data | tail -n 1 | tr -d " "')) ?? [];
  assert.ok(Number(kib) > 400 * 1024, `${kib} KiB`);
});

test('the TV is unprivileged and sandboxed', async () => {
  const exposure = await tv.sh('systemd-analyze security pitv.service --no-pager | tail -n 1', {
    timeoutMs: 600_000,
  });
  console.log(exposure);
  const [, level] = /: ([\d.]+) /.exec(exposure) ?? [];
  assert.ok(Number(level) < 2, exposure);
  const user = await tv.sh('ps -o user= -p $(systemctl show -P MainPID pitv)');
  assert.equal(user.trim(), 'pitv');
});

test('page, websocket and a whole match of bumper from outside', async () => {
  const page = await fetch(tv.url);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<title>/);
  const screen = await tv.screen();
  const ann = await tv.pad('Ann');
  const ben = await tv.pad('Ben');
  ann.send({ t: 'start', game: 'bumper' });
  const { match } = await screen.next('watch', (message) => message.match !== null);
  await ben.next('match');
  await screen.moreFrames(10);
  // Ann drives off the edge in every round, Ben stands there.
  const driving = setInterval(() => ann.input(127, 0), 200);
  const started = performance.now();
  const ended = await screen
    .next('ended', (message) => message.match === match)
    .finally(() => clearInterval(driving));
  console.log(
    `# a whole match: ${((performance.now() - started) / 1000).toFixed(0)} s, ${screen.frames} frames, ${JSON.stringify(ended.results.map((/** @type {any} */ r) => [r.name, r.score]))}`,
  );
  assert.equal(ended.reason, 'done');
  assert.deepEqual(ended.results.map((/** @type {any} */ each) => each.name).sort(), [
    'Ann',
    'Ben',
    'Bot',
    'Bot',
  ]);
  for (const client of [screen, ann, ben]) client.socket.close();
});

for (const engine of ENGINES) {
  test(`${engine}: ${MATCHES} matches side by side, and what they need`, async () => {
    const health = await tv.restart({ PITV_ENGINE: engine, PITV_MAX_MATCHES: String(MATCHES) });
    assert.equal(health.engine, engine);
    const screens = [];
    for (let n = 0; n < MATCHES; n++) {
      const screen = await tv.screen();
      screens.push(screen);
      screen.send({ t: 'start', game: 'collide', options: { bodies: 250 } });
      await screen.next('watch', (message) => message.match !== null);
      await screen.moreFrames(3);
    }
    const { matches } = await tv.json('/api/matches');
    assert.equal(matches.length, MATCHES);
    const pss = await tv.sh(
      "for p in $(cat /sys/fs/cgroup/system.slice/pitv.service/cgroup.procs); do awk -v p=$p '/^Pss:/{print p, $2}' /proc/$p/smaps_rollup; done",
    );
    const each = pss
      .trim()
      .split('\n')
      .map((line) => Number(line.split(' ')[1]));
    const total = each.reduce((sum, kib) => sum + kib, 0);
    console.log(`# ${engine}: ${each.length} processes, PSS ${each.join(' + ')} = ${total} KiB`);
    assert.ok(total > 0);
    for (const screen of screens) screen.socket.close();
  });
}

test('the kernel merges equal memory, and pitv ksm status says how much', async () => {
  await tv.restart({ PITV_ENGINE: 'process', PITV_KSM: 'identical' });
  await tv.sh('touch /run/pitv/ksm; systemctl start pitv-ksm');
  const screens = [];
  for (let n = 0; n < 2; n++) {
    const screen = await tv.screen();
    screens.push(screen);
    screen.send({ t: 'start', game: 'collide', options: { bodies: 250 } });
    await screen.next('watch', (message) => message.match !== null);
  }
  await tv.sh(
    'for i in $(seq 600); do [ $(cat /sys/kernel/mm/ksm/pages_sharing) -gt 100 ] && exit 0; sleep 1; done; exit 1',
    {
      timeoutMs: 700_000,
    },
  );
  const status = await tv.sh('pitv ksm status', { timeoutMs: 600_000 });
  console.log(status);
  assert.match(status, /\d/);
  for (const screen of screens) screen.socket.close();
});

test('SIGTERM ends the TV cleanly and quickly, and it comes back', async () => {
  await tv.sh('systemctl stop pitv', { timeoutMs: 120_000 });
  assert.match(await tv.sh('systemctl show -P Result pitv'), /^success/);
  await tv.sh('systemctl start pitv', { timeoutMs: 900_000 });
  await tv.answers(300_000);
});

test('power off: everything is unmounted, the data partition is clean', async () => {
  const said = await tv.machine.powerOff({ timeoutMs: 600_000 });
  assert.doesNotMatch(said, /Failed (to )?unmount|timed out/i);
  const data = (await readPartitions(disk.file))[2];
  const at = `${disk.file}?offset=${data.start}`;
  const check = spawnSync('/sbin/e2fsck', ['-fn', at], { encoding: 'utf8' });
  assert.equal(check.status, 0, check.stdout + check.stderr);
  assert.doesNotMatch(check.stdout, /recovering journal/);
});
