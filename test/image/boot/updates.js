/**
 * Updates a card in its emulated board (PITV_BOARD), started by the card's own U-Boot: a good update, over which a
 * match goes on, refused ones, ones that do not start, do not answer or hang, a damaged choice of the system, and power
 * cuts during an update (PITV_POWER_CUTS, 1 by default).
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Disk } from '../../../image/qemu/disk.js';
import { withMachine } from '../../../image/qemu/machine.js';
import { machineKind } from '../../../image/qemu/machines.js';
import { CHOICE_OFFSETS, SLOT_PARTITIONS, copyInto, partition } from '../../../image/sd/card.js';
import { run } from '../../../image/sd/shell.js';
import { readAt, writeAt } from '../files.js';
import { BOARD, BOOT_MS, cardFor, logOf, withTv } from './board.js';
import { FAILING, GOOD, REFUSED, makeBundles } from './bundles.js';
import { askMatch, upload } from './requests.js';

const MIB = 1024 * 1024;
const CARD_BYTES = 2048 * MIB;
const DATA_MIB = 900;
const CUTS = Number(process.env.PITV_POWER_CUTS ?? 1);
/** So often, a system is waited for until it is marked as good, because it has nine tries. */
const CONFIRM_CUTS = 4;

// Cores that wait for each other make a start slower, and the driver of the card reader fails when it has to wait.
const { oneCore } = machineKind(BOARD);
const { append, args: qemu } = oneCore;
const options = { board: BOARD, network: false, log: logOf(`${BOARD}-update`), qemu, append };

const { made, key, why } = await cardFor(BOARD, { updatable: true });

/** @typedef {import('./board.js').Tv} Tv */

describe('updates of a card with two systems', { skip: why }, () => {
  /** @type {string} */
  let work;
  /** @type {Disk} */
  let disk;
  /** The match that runs while the card is updated. @type {{id: number, ticks: number}} */
  let match;
  before(async () => {
    if (!made || !key) return;
    work = await mkdtemp(join(tmpdir(), 'pitv-update-'));
    disk = await Disk.copyOf(made.file, { bytes: CARD_BYTES });
    const bundles = join(work, 'data', 'bundles');
    await mkdir(bundles, { recursive: true });
    await makeBundles(bundles, { board: BOARD, made, key, work });
    // The card finds this file system on its data partition, which it grows at the first start.
    const data = join(work, 'data.img');
    await writeFile(data, '');
    await truncate(data, DATA_MIB * MIB);
    await run('mke2fs', ['-q', '-t', 'ext4', '-L', 'pitv-data', '-d', join(work, 'data'), data]);
    await copyInto(data, disk.file, partition('data', SLOT_PARTITIONS).startMib * MIB);
    await rm(data);
  });
  after(async () => {
    await disk.remove();
    await rm(work, { recursive: true, force: true });
  });

  /** Starts until U-Boot has chosen a system. @returns {Promise<string>} what it said */
  async function chosen() {
    const choice = /pitv: (system \w of [^\r\n]*|no system [^\r\n]*)[\r\n]/;
    const found = await withMachine(disk, options, (machine) =>
      machine.waitFor(choice, { timeoutMs: BOOT_MS }),
    );
    return found[1];
  }

  /** @param {Tv} tv @param {string} bundle @returns {Promise<{status: number, output: string}>} */
  const update = (tv, bundle) =>
    tv.machine.run(`pitv update /data/bundles/${bundle}.raucb --no-restart`, {
      check: false,
      timeoutMs: BOOT_MS,
    });

  /** Waits until the card has marked its system. @param {Tv} tv */
  const confirmed = (tv) =>
    tv.sh('systemctl start pitv-confirm; journalctl -u pitv-confirm -o cat --no-pager', {
      timeoutMs: BOOT_MS,
    });

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
      for (const [bundle, reason] of Object.entries(REFUSED)) {
        const { status, output } = await update(tv, bundle);
        assert.equal(status, 1, `${bundle}: ${output}`);
        assert.match(output, reason, bundle);
        assert.match(await tv.sh('fw_printenv BOOT_A_LEFT'), /=9/, bundle);
      }
      const [report] = JSON.parse(await tv.sh('cat /run/pitv/update/systems.json'));
      const { version, ...state } = report;
      assert.deepEqual(state, { name: 'A', running: true, good: true });
      assert.match(version, /^\d+\.\d+\.\d+\+\d{8}\.\d{12}$/);
      match = await askMatch(tv, { starts: true });
      await tv.sh(`node -e '${upload('/data/bundles/good.raucb')}'`, { timeoutMs: BOOT_MS });
      await tv.machine.ended({ timeoutMs: BOOT_MS }); // it restarts by itself
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

  for (const { title, bundle, failure, version, reason, words = [] } of FAILING)
    test(`${title} is left after three tries`, async () => {
      const [running, kept] = await withTv(disk, options, async (tv) => {
        await confirmed(tv);
        const systems = await tv.sh('pitv update --status');
        assert.equal((await update(tv, bundle)).status, 0);
        await tv.machine.powerOff({ timeoutMs: BOOT_MS });
        return /^(\w)\t(\S+)\trunning\t/m.exec(systems)?.slice(1) ?? [];
      });
      const other = running === 'A' ? 'B' : 'A';
      const choice = (/** @type {string} */ name, /** @type {number} */ left) =>
        new RegExp(`pitv: system ${name} of ${other} ${running}; left: .*${other} ${left}`);
      for (let tries = 3; tries-- > 0;) {
        const failing = { ...options, append: [...append, ...words] };
        await withMachine(disk, failing, async (machine) => {
          for (const pattern of [choice(other, tries), failure])
            await machine.waitFor(pattern, { timeoutMs: BOOT_MS });
          await machine.ended({ timeoutMs: BOOT_MS });
        });
      }
      await withTv(disk, options, async (back) => {
        assert.match(back.machine.console, choice(running, 0));
        await confirmed(back);
        const sentence = `The update to version ${version} did not work: ${reason}. The TV is back at version ${kept}.`;
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
