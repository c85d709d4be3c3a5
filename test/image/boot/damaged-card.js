/** Tests damaged cards: the TV must start and show the problems. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDisk } from '../../../image/qemu/disk.js';
import { readPartitions } from '../../../image/sd/card.js';
import { writeAt } from '../files.js';
import { MACHINE, cardFor, logOf, withTv } from './board.js';

const MIB = 1024 * 1024;
/** Tells where the data is: on the card or in memory. */
const DATA = 'findmnt -n -o FSTYPE /data';
/** The data partition as it is in the image, without room behind it to grow into. */
const SMALLEST_CARD = 480 * MIB;
const { file, why: skip } = await cardFor('armhf');

/** @typedef {import('./board.js').Tv} Tv @typedef {import('../../../image/qemu/disk.js').Disk} Disk */

/**
 * Damages a card, boots it, and checks it.
 * @param {(disk: Disk) => Promise<unknown>} damage @param {(tv: Tv) => Promise<unknown>} check
 * @param {{network?: boolean, bytes?: number}} [options] bytes: size of the card
 */
const bootDamaged = (damage, check, { network, bytes } = {}) =>
  withDisk(
    file,
    async (disk) => {
      await damage(disk);
      const machine = { board: 'armhf', machine: MACHINE, log: logOf('damaged'), network };
      await withTv(disk, machine, async (tv) => {
        await check(tv);
        const failed = await tv.sh('systemctl --failed --no-legend --plain --no-pager');
        assert.equal(failed.trim(), '');
      });
    },
    { bytes },
  );

/** Returns the text on the television, in one line. @param {Tv} tv @returns {Promise<string>} */
const television = async (tv) => (await tv.sh('cat /run/pitv-tv/console')).replace(/\s+/g, ' ');

/** Checks that a screen and the television show problems. @param {Tv} tv @param {RegExp[]} problems */
async function shows(tv, ...problems) {
  const screen = await tv.screen();
  const shown = [tv.problems.join('\n'), await television(tv)];
  for (const each of problems) for (const text of shown) assert.match(text, each);
  screen.socket.close();
}

/** Invalid settings, and a line of noise. @param {Disk} disk */
async function damageFiles(disk) {
  const noise = Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7919) % 251));
  const wrong = 'hostname = -bad-\nengine = steam\nwifi-country = Narnia\nnonsense\n';
  const more = 'timezone=Mars/Base\nudp = 99999999\n';
  await disk.write('pitv.txt', `${wrong}${more}${noise.toString('latin1')}\n`);
  await disk.write('firstrun.sh', '#!/bin/sh\nrm -rf /boot/*\nreboot\n');
  const words = ' systemd.run=/boot/firstrun.sh systemd.run_success_action=reboot';
  const line = (await disk.read('cmdline.txt')).trim();
  await disk.write('cmdline.txt', `${line}${words} systemd.unit=kernel-command-line.target\n`);
  // The start of the data partition, including copies of its superblock.
  const [, , data] = await readPartitions(disk.file);
  writeAt(disk.file, data.start, Buffer.alloc(30 * MIB, 'noise'));
}

describe('damaged cards', { skip }, () => {
  test('an invalid pitv.txt, a script of Imager for another system, and a damaged data partition', () =>
    bootDamaged(damageFiles, async (tv) => {
      const settings = [/hostname/, /engine/, /wifi-country/, /timezone/];
      await shows(tv, ...settings, /data partition .* is damaged beyond repair/);
      assert.match(await tv.sh(DATA), /tmpfs/);
    }));

  test('a full data partition', () =>
    bootDamaged(
      async () => {},
      async (tv) => {
        await tv.sh('dd if=/dev/zero of=/data/full bs=1M; systemctl restart pitv');
        await shows(tv, /full/);
      },
      { bytes: SMALLEST_CARD },
    ));

  test('without data partition, pitv.txt and network the television shows a problem', () =>
    bootDamaged(
      async (disk) => {
        writeAt(disk.file, 446 + 32, Buffer.alloc(16));
        await disk.mtools('mdel', ['::pitv.txt']);
      },
      async (tv) => {
        const health = 'fetch("http://127.0.0.1/healthz").then((a) => a.text()).then(console.log)';
        assert.match(await tv.sh(`node -e '${health}'`), /"ok":true/);
        assert.match(await television(tv), /has no network\. .*no data partition/);
        assert.match(await tv.sh(DATA), /tmpfs/);
      },
      { network: false },
    ));
});
