/** Tests damaged cards, a wrong Wi-Fi password and a second card: the TV must start and show the problems. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withDisk } from '../../../image/qemu/disk.js';
import { withApt } from '../../../image/sd/apt.js';
import { readPartitions } from '../../../image/sd/card.js';
import { layer } from '../../../image/sd/layers.js';
import { run, words } from '../../../image/sd/shell.js';
import { all } from '../../support/extent.js';
import { buildUnlessOffline, writeAt } from '../needs.js';
import { cardFor, logOf, withTv } from './board.js';

const MIB = 1024 * 1024;
/** Tells where the data is: on the card or in memory. */
const DATA = 'findmnt -n -o FSTYPE /data';
/** The data partition as it is in the image, without room behind it to grow into. */
const SMALLEST_CARD = 480 * MIB;
const { file, made, why: skip } = await cardFor('armhf');

/** @typedef {import('./board.js').Tv} Tv @typedef {import('../../../image/qemu/disk.js').Disk} Disk */

/**
 * Damages a card, boots it, and checks it.
 * @param {(disk: Disk) => Promise<unknown>} damage @param {(tv: Tv) => Promise<unknown>} check
 * @param {{network?: boolean, qemu?: string[], bytes?: number}} [options] bytes: size of the card
 */
const bootDamaged = (damage, check, { bytes, ...more } = {}) =>
  withDisk(
    file,
    async (disk) => {
      await damage(disk);
      const machine = { board: 'armhf', machine: 'virt', log: logOf('damaged') };
      await withTv(disk, { ...machine, ...more }, async (tv) => {
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

/** Radios that the kernel simulates. The card does not have them, but the package of its kernel. */
const RADIOS = ['libarc4.ko', 'mac80211.ko', 'mac80211_hwsim.ko'];
/** Arguments: folder of the package lists, folder of the modules, package. */
const UNPACK = `cd "$2"
APT_CONFIG=$1/apt.conf apt-get download -qq "$3"
dpkg-deb --fsys-tarfile *.deb | tar -x --wildcards --transform 's,.*/,,' ${RADIOS.map((name) => `'*/${name}.xz'`).join(' ')}
rm *.deb
unxz *.xz`;

/** Fetches the modules of the radios, unless they are in the cache. @returns their folder */
async function makeRadios() {
  const packages = await readFile(join(made?.kernel.folder ?? '', 'packages.tsv'), 'utf8');
  const [, name = '', version = ''] = /^(linux-image-\S+)\t(\S+)/m.exec(packages) ?? [];
  const { folder } = await layer('radios-armhf', [name, version, UNPACK], (at) =>
    withApt('radios', 'armhf', (lists) => run('sh', ['-ec', UNPACK, 'sh', lists, at, name])),
  );
  return folder;
}

/** Makes a Wi-Fi with one radio, and gives the other one to the TV. */
const WIFI = `systemctl mask --runtime pitv-wifi@wlan1
mkdir -p /run/systemd/network
printf '[Match]\nName=wlan1\n[Link]\nUnmanaged=yes\n' >/run/systemd/network/05-home.network
networkctl reload
modprobe cfg80211
for name in ${RADIOS.join(' ')}; do insmod /boot/firmware/$name; done
printf 'network={\nssid="Home"\nmode=2\nfrequency=2412\nkey_mgmt=WPA-PSK\npsk="the right one"\n}\n' >/run/home.conf
systemd-run --quiet wpa_supplicant -i wlan1 -c /run/home.conf
systemctl start pitv-access-point`;

const USED = `udevadm settle
for at in / /boot/firmware /data; do findmnt -nr -o SOURCE "$at"; done
for name in card card1 card2 card3; do readlink -f "/dev/pitv-$name"; done
ls -d /sys/class/block/vd?3 | wc -l`;

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

  const onlyAll = !all && 'make test-all runs it';

  test('a wrong Wi-Fi password, after which pitv-setup opens', { skip: onlyAll }, async (t) => {
    const { made: radios, why } = await buildUnlessOffline(makeRadios);
    if (!radios) return t.skip(why);
    await bootDamaged(
      async (disk) => {
        await disk.write('pitv.txt', 'wifi-name = Home\nwifi-password = the wrong one\n');
        for (const name of RADIOS) await disk.write(name, await readFile(join(radios, name)));
      },
      async (tv) => {
        await tv.sh(WIFI);
        for (const text of ['The Wi-Fi does not accept the password', 'pitv-setup'])
          await tv.sh(`until grep '${text}' /run/pitv-tv/console; do sleep 5; done`);
      },
      { network: false },
    );
  });

  test('of two equal cards, only the one with the root is used', { skip: onlyAll }, () =>
    withDisk(file, (other) =>
      bootDamaged(
        async () => {},
        async (tv) => {
          const used = (await tv.sh(USED)).trim().split('\n');
          const [card] = used[0].match(/^\/dev\/vd./) ?? [];
          const mounts = [`${card}2`, `${card}1`, `${card}3`];
          assert.deepEqual(used, [...mounts, card, `${card}1`, `${card}2`, `${card}3`, '2']);
        },
        {
          network: false,
          qemu: words`-drive file=${other.file},if=none,id=other,format=raw
            -device virtio-blk-device,drive=other`,
        },
      ),
    ),
  );
});
