/** Tests damaged cards: the TV must start and show the problems. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withDisk } from '../../../image/qemu/disk.js';
import { readPartitions } from '../../../image/sd/card.js';
import { run } from '../../../image/sd/shell.js';
import { writeAt } from '../files.js';
import { cardFor, logOf, withTv } from './board.js';

const BOARD = 'armhf';
const MACHINE = process.env.PITV_QEMU_MACHINE ?? 'virt';
const MIB = 1024 * 1024;
/** The data partition as it is in the image, without room behind it to grow into. */
const SMALLEST_CARD = 480 * MIB;

const { file, why } = await cardFor(BOARD);

/** @typedef {import('./board.js').Tv} Tv @typedef {import('../../../image/qemu/disk.js').Disk} Disk */

/**
 * @param {string} title
 * @param {(disk: Disk) => Promise<unknown>} damage
 * @param {(tv: Tv) => Promise<unknown>} check
 * @param {{bytes?: number, network?: boolean}} [options] bytes: the size of the card
 */
function damagedCardTest(title, damage, check, { bytes, network } = {}) {
  const log = logOf(`damaged ${title.slice(0, 30)}`);
  const start = async (/** @type {Disk} */ disk) => {
    await damage(disk);
    await withTv(disk, { board: BOARD, machine: MACHINE, network, log }, async (tv) => {
      await check(tv);
      assert.equal((await tv.sh('systemctl --failed --no-legend --plain --no-pager')).trim(), '');
    });
  };
  test(title, { skip: why }, () => withDisk(file, start, { bytes }));
}

/** Expects problems on the page and on the television. @param {Tv} tv @param {RegExp[]} says */
async function expectProblems(tv, says) {
  const screen = await tv.screen();
  const page = tv.problems.join('\n');
  console.log(page.replace(/^/gm, '# '));
  const shown = await television(tv);
  for (const each of says) {
    assert.match(page, each);
    assert.match(shown, each);
  }
  screen.socket.close();
}

/** Returns the text on the television, in one line. @param {Tv} tv @returns {Promise<string>} */
const television = async (tv) => {
  const shown = await tv.sh('cat /run/pitv-tv/console');
  console.log(shown.replace(/^/gm, '# '));
  return shown.replace(/\s+/g, ' ');
};

/** Overwrites the start of the data partition, including copies of its superblock. @param {Disk} disk */
async function makeNoise({ file }) {
  const [, , data] = await readPartitions(file);
  writeAt(file, data.start, Buffer.alloc(30 * MIB, 'noise'));
}

describe('damaged cards', () => {
  damagedCardTest(
    'an invalid pitv.txt, a script of Imager for another system, and a damaged data partition',
    async (disk) => {
      const noise = Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7919) % 251));
      const wrong = 'hostname = -bad-\nengine = steam\nwifi-country = Narnia\nnonsense\n';
      const more = 'timezone=Mars/Base\nudp = 99999999\n';
      await disk.write('pitv.txt', `${wrong}${more}${noise.toString('latin1')}\n`);
      await disk.write('firstrun.sh', '#!/bin/sh\nrm -rf /boot/*\nreboot\n');
      const words = ' systemd.run=/boot/firstrun.sh systemd.run_success_action=reboot';
      const line = (await disk.read('cmdline.txt')).trim();
      await disk.write('cmdline.txt', `${line}${words} systemd.unit=kernel-command-line.target\n`);
      await makeNoise(disk);
    },
    async (tv) => {
      const settings = [/hostname/, /engine/, /wifi-country/, /timezone/];
      await expectProblems(tv, [...settings, /data partition .* is damaged beyond repair/]);
      assert.match(await tv.sh('findmnt -n -o FSTYPE /data'), /tmpfs/);
    },
  );

  damagedCardTest('a full data partition', fill, (tv) => expectProblems(tv, [/full/]), {
    bytes: SMALLEST_CARD,
  });

  damagedCardTest(
    'without data partition, pitv.txt and network the television shows a problem',
    async (disk) => {
      writeAt(disk.file, 446 + 32, Buffer.alloc(16));
      await disk.delete('pitv.txt');
    },
    async (tv) => {
      const asked = `exec 3<>/dev/tcp/127.0.0.1/80; printf 'GET /healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3; cat <&3`;
      assert.match(await tv.sh(`bash -c ${JSON.stringify(asked)}`), /"ok":true/);
      assert.match(await television(tv), /has no network\. .*no data partition/);
      assert.match(await tv.sh('findmnt -n -o FSTYPE /data'), /tmpfs/);
    },
    { network: false },
  );
});

/** Fills the data partition. @param {Disk} disk */
async function fill(disk) {
  const { start } = (await readPartitions(disk.file))[2];
  const device = `${disk.file}?offset=${start}`;
  const about = await run('dumpe2fs', ['-h', device]);
  const free = /^Free blocks:\s+(\d+)/m.exec(about)?.[1];
  const size = /^Block size:\s+(\d+)/m.exec(about)?.[1];
  // The folders that the TV makes, and a file of all free blocks except those for the file's block map.
  const folders = ['pitv', 'system', 'ssh'];
  const large = join(disk.folder, 'large');
  const blocks = Number(free) - folders.length - 16;
  await writeFile(large, Buffer.alloc(blocks * Number(size), 'x'));
  const commands = [...folders.map((name) => `mkdir ${name}`), `write ${large} full`];
  const list = join(disk.folder, 'commands');
  await writeFile(list, `${commands.join('\n')}\n`);
  await run('debugfs', ['-w', '-f', list, device]);
}
