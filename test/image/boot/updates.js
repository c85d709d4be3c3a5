/**
 * Updates a card in its emulated board (PITV_BOARD), started by the card's own U-Boot: a good update, over which a
 * match goes on, refused ones, ones that do not start, do not answer or hang, a damaged choice of the system, and power
 * cuts during an update (PITV_POWER_CUTS, 1 by default).
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { NOT_STARTED } from '../../../app/system/rauc.js';
import { systemName } from '../../../image/boards.js';
import { Disk } from '../../../image/qemu/disk.js';
import { withMachine } from '../../../image/qemu/machine.js';
import { CHOICE_OFFSETS, SLOT_PARTITIONS, copyInto, partition } from '../../../image/sd/card.js';
import { run, runAsRoot } from '../../../image/sd/shell.js';
import { makeBundle } from '../../../image/update/bundle.js';
import { temporaryFolder } from '../../support/folders.js';
import { readAt, writeAt } from '../needs.js';
import { BOARD, askMatch, cardFor, logOf, upload, withTv } from './board.js';

const MIB = 1024 * 1024;
const CARD_BYTES = 2048 * MIB;
const DATA_MIB = 900;
const CUTS = Number(process.env.PITV_POWER_CUTS ?? 1);
/** So often, a system is waited for until it is marked as good, because it has nine tries. */
const CONFIRM_CUTS = 4;

// The driver of the card reader fails when it has to wait, so the board counts its instructions.
const options = { board: BOARD, network: false, log: logOf(`${BOARD}-update`), counting: true };

const { made, key, why } = await cardFor(BOARD, { updatable: true });

/** Versions of the updates. */
const GOOD = '8.0.0';
const BROKEN = '9.0.0';

/** How long a new system waits for its TV, in the update whose TV does not answer. */
const SILENT_MS = 20_000;

/** Updates that are refused, and why. ../update.test.js has more, which need no board. */
const REFUSED = Object.entries({
  older: /version 0\.0\.9 is older than the running/,
  'wrong-system': /compatible/i,
  'too-large': /large|small|size/i,
  damaged: /./,
});

/**
 * Updates of version BROKEN whose systems do not work. `change` is a script that changes the root in the folder $1;
 * `failure` is shown by the serial line; `words` are for the kernel's command line.
 * @type {{title: string, bundle: string, change: string, failure: RegExp, reason: string, words?: string[]}[]}
 */
const FAILING = [
  {
    title: 'one that does not start',
    bundle: 'broken',
    change: 'rm -r "$1"; mkdir "$1"',
    failure: /Kernel panic/,
    reason: NOT_STARTED,
  },
  {
    // Its TV ends at once, and is waited for less than ten minutes.
    title: 'one whose TV does not answer',
    bundle: 'silent',
    change: `
      printf '[Service]\nExecStart=\nExecStart=/bin/false\n' >"$1/usr/lib/systemd/system/pitv.service.d/silent.conf"
      confirm=$1/usr/lib/pitv/app/commands/update/confirm.js
      sed -i 's/^const ANSWER_MS = .*/const ANSWER_MS = ${SILENT_MS};/' "$confirm"
      grep -q 'ANSWER_MS = ${SILENT_MS};' "$confirm"`,
    failure: /Failed to start.*pitv-confirm/,
    reason: 'the TV did not answer',
  },
  {
    // Systemd stops before the TV is there. The board's watchdog cannot be emulated, so there is one in software.
    title: 'one that hangs',
    bundle: 'still',
    change: `
      unit=$1/usr/lib/systemd/system/stillness.service
      printf '[Unit]\nBefore=pitv.service\n[Service]\nType=oneshot\nExecStart=/sbin/modprobe softdog\n' >"$unit"
      printf 'ExecStart=/bin/sleep 20\nExecStart=/bin/kill -SEGV 1\nExecStart=/bin/sleep 600\n' >>"$unit"
      printf '[Unit]\nRequires=stillness.service\n' >"$1/usr/lib/systemd/system/pitv.service.d/stillness.conf"`,
    failure: /softdog: Initiating system reboot/,
    reason: NOT_STARTED,
    words: ['systemd.watchdog_device=/dev/watchdog1'],
  },
];

/** @typedef {import('./board.js').Tv} Tv */

/**
 * Makes a good update, and those of REFUSED and FAILING, each with the suffix `.raucb`.
 * @param {string} folder @param {string} work folder for temporary files
 */
async function makeBundles(folder, work) {
  if (!made || !key) return;
  const { card, root } = made;
  const images = { boot: join(card.folder, 'slot.img'), root: join(root.folder, 'root.squashfs') };
  /** @param {string} name @param {Partial<Parameters<typeof makeBundle>[0]>} update */
  const make = (name, update) => {
    const usual = { system: systemName(BOARD), version: BROKEN, images, key };
    return makeBundle({ ...usual, ...update, file: join(folder, `${name}.raucb`) });
  };
  await make('good', { version: GOOD });
  for (const { bundle, change } of FAILING) {
    const changed = join(work, `${bundle}.squashfs`);
    const script = `set -e
      unsquashfs -q -n -d "$1" "$2"
      ${change}
      mksquashfs "$1" "$3" -noappend -quiet -no-progress -comp lz4 -no-xattrs >/dev/null
      rm -r "$1"`;
    await runAsRoot('sh', ['-c', script, 'sh', `${changed}.root`, images.root, changed]);
    await make(bundle, { images: { ...images, root: changed } });
  }
  const small = { boot: join(work, 'small.img'), root: join(work, 'small.img') };
  await writeFile(small.boot, randomBytes(MIB));
  const large = join(work, 'large.img');
  await writeFile(large, '');
  await truncate(large, (partition('root-b', SLOT_PARTITIONS).sizeMib + 1) * MIB);
  await make('older', { version: '0.0.9', images: small });
  await make('wrong-system', { system: systemName(BOARD, { kiosk: true }), images: small });
  await make('too-large', { images: { ...small, root: large } });
  await make('damaged', { images: small });
  writeAt(join(folder, 'damaged.raucb'), 256, Buffer.alloc(64, 'x'));
}

describe('updates of a card with two systems', { skip: why }, () => {
  const work = temporaryFolder();
  /** @type {Disk} */
  let disk;
  /** The match that runs while the card is updated. @type {{id: number, ticks: number}} */
  let match;
  before(async () => {
    if (!made || !key) return;
    disk = await Disk.copyOf(made.file, { bytes: CARD_BYTES });
    const bundles = join(work, 'data', 'bundles');
    await mkdir(bundles, { recursive: true });
    await makeBundles(bundles, work);
    // The card finds this file system on its data partition, which it grows at the first start.
    const data = join(work, 'data.img');
    const content = ['-L', 'pitv-data', '-d', join(work, 'data')];
    await run('mke2fs', ['-q', '-t', 'ext4', ...content, data, `${DATA_MIB}M`]);
    await copyInto(data, disk.file, partition('data', SLOT_PARTITIONS).startMib * MIB);
    await rm(data);
  });
  after(() => disk.remove());

  /** Starts until U-Boot has chosen a system, and returns what it said. */
  const chosen = () =>
    withMachine(disk, options, async (machine) => {
      const choice = /pitv: ((no )?system [^\r\n]*)[\r\n]/;
      return (await machine.waitFor(choice))[1];
    });

  /** @param {Tv} tv @param {string} bundle */
  const update = (tv, bundle) =>
    tv.machine.run(`pitv update /data/bundles/${bundle}.raucb --no-restart`, { check: false });

  /** Waits until the card has marked its system. @param {Tv} tv */
  const confirmed = (tv) =>
    tv.sh('systemctl start pitv-confirm; journalctl -u pitv-confirm -o cat --no-pager');

  test('one damaged copy of the choice does not matter; without any the first system starts', async () => {
    const damage = Buffer.alloc(512, 'x');
    const whole = readAt(disk.file, CHOICE_OFFSETS[0], damage.length);
    writeAt(disk.file, CHOICE_OFFSETS[0], damage);
    assert.match(await chosen(), /^system A of A; left: A 8, B 0/);
    for (const offset of CHOICE_OFFSETS) writeAt(disk.file, offset, damage);
    assert.match(await chosen(), /^system A of A B; left: A 2, B 3/);
    for (const offset of CHOICE_OFFSETS) writeAt(disk.file, offset, whole);
  });

  test('bad updates are refused, a good one starts the other system', async () => {
    await withTv(disk, options, async (tv) => {
      assert.match(await confirmed(tv), /System A works and is marked as good/);
      assert.match(await tv.sh('pitv update --status'), /^A\t\S+\trunning\tgood$/m);
      for (const [bundle, reason] of REFUSED) {
        const { status, output } = await update(tv, bundle);
        assert.equal(status, 1, `${bundle}: ${output}`);
        assert.match(output, reason, bundle);
        assert.match(await tv.sh('fw_printenv BOOT_A_LEFT'), /=9/, bundle);
      }
      const [{ version, ...state }] = JSON.parse(await tv.sh('cat /run/pitv/update/systems.json'));
      assert.deepEqual(state, { name: 'A', running: true, good: true });
      assert.match(version, /^\d+\.\d+\.\d+\+\d{8}\.\d{12}$/);
      match = await askMatch(tv, { starts: true });
      await tv.sh(`node -e '${upload('/data/bundles/good.raucb')}'`);
      await tv.machine.ended(); // it restarts by itself
    });
  });

  test('the new system is marked as good, and the match goes on', async () => {
    await withTv(disk, options, async (tv) => {
      assert.match(tv.machine.console, /pitv: system B of B A; left: A 9, B 2/);
      assert.match(await confirmed(tv), /System B works and is marked as good/);
      const status = new RegExp(`^B\\t${GOOD}\\trunning\\tgood$`, 'm');
      assert.match(await tv.sh('pitv update --status'), status);
      assert.equal(await tv.complaints(), '');
      const { id, ticks } = await askMatch(tv);
      assert.ok(id === match.id && ticks > match.ticks, `match ${id}, tick ${ticks}`);
    });
  });

  for (const { title, bundle, failure, reason, words = [] } of FAILING)
    test(`${title} is left after three tries`, async () => {
      const [running, kept] = await withTv(disk, options, async (tv) => {
        await confirmed(tv);
        const systems = await tv.sh('pitv update --status');
        assert.equal((await update(tv, bundle)).status, 0);
        await tv.machine.powerOff();
        return /^(\w)\t(\S+)\trunning\t/m.exec(systems)?.slice(1) ?? [];
      });
      const other = running === 'A' ? 'B' : 'A';
      const choice = (/** @type {string} */ name, /** @type {number} */ left) =>
        new RegExp(`pitv: system ${name} of ${other} ${running}; left: .*${other} ${left}`);
      for (let tries = 3; tries-- > 0;) {
        await withMachine(disk, { ...options, append: words }, async (machine) => {
          for (const each of [choice(other, tries), failure]) await machine.waitFor(each);
          await machine.ended();
        });
      }
      await withTv(disk, options, async (back) => {
        assert.match(back.machine.console, choice(running, 0));
        await confirmed(back);
        const sentence = `The update to version ${BROKEN} did not work: ${reason}. The TV is back at version ${kept}.`;
        assert.equal((await back.sh('cat /run/pitv/problems/update')).trim(), sentence);
        const reports = JSON.parse(await back.sh('cat /run/pitv/update/systems.json'));
        const report = reports.find((/** @type {any} */ { name }) => name === other);
        assert.equal(report.failure, reason, 'the admin page offers to try it again');
      });
    });

  test(`after ${CUTS} power cuts during an update, a system starts each time`, async () => {
    let installMs = 60_000;
    for (let cut = 1; cut <= CUTS; cut++) {
      await withTv(disk, options, async (tv) => {
        // Otherwise the update begins while the running system is being marked.
        if (cut % CONFIRM_CUTS === 0) assert.match(await confirmed(tv), /is marked as good/);
        const started = performance.now();
        const ended = update(tv, 'good').catch(() => undefined); // the power is cut
        const result = await Promise.race([ended, delay(Math.random() * installMs)]);
        if (result) {
          assert.equal(result.status, 0, result.output);
          installMs = performance.now() - started;
        }
        await tv.machine.cut();
        console.log(`# cut ${cut} after ${Math.round(performance.now() - started)} ms`);
      });
    }
    await withTv(disk, options, async (tv) => {
      assert.match(await confirmed(tv), /works and is marked as good/);
      const { status, output } = await update(tv, 'good');
      assert.equal(status, 0, output);
    });
  });
});
