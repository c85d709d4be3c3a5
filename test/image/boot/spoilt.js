/** Cards as people and time leave them: the TV is up all the same and says what is wrong. */
import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import { readPartitions } from '../../../image/sd/card.js';
import { bootTv, cardOf } from './board.js';

const BOARD = 'armhf';
const MACHINE = process.env.PITV_QEMU_MACHINE ?? 'virt';
const MIB = 1024 * 1024;

/** @typedef {import('../../../image/qemu/disk.js').Disk} Disk */
/** @typedef {import('./board.js').Tv} Tv */

/**
 * @param {string} title
 * @param {(disk: Disk) => Promise<void>} spoil
 * @param {(tv: Tv, problems: string) => Promise<void> | void} look
 */
function spoilt(title, spoil, look) {
  test(title, async () => {
    const disk = await cardOf(BOARD);
    /** @type {Tv | undefined} */
    let tv;
    try {
      await spoil(disk);
      tv = await bootTv(disk, { board: BOARD, machine: MACHINE });
      assert.equal((await tv.sh('systemctl --failed --no-legend --plain --no-pager')).trim(), '');
      const problems = await tv.sh('cat /run/pitv/problems/* 2>/dev/null || true');
      console.log(problems.replace(/^/gm, '# '));
      await look(tv, problems);
    } finally {
      await tv?.machine.close();
      await disk.remove();
    }
  });
}

/** @param {Disk} disk @param {number} index @param {(file: import('node:fs/promises').FileHandle, start: number) => Promise<unknown>} change */
async function change(disk, index, change) {
  const partition = (await readPartitions(disk.file))[index];
  const file = await open(disk.file, 'r+');
  await change(file, partition.start).finally(() => file.close());
}

spoilt(
  'a pitv.txt full of nonsense',
  async (disk) => {
    const noise = Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7919) % 251)).toString(
      'latin1',
    );
    await disk.write(
      'pitv.txt',
      `hostname = -bad-\nengine = steam\nwifi-country = Narnia\nnonsense\ntimezone=Mars/Base\nudp = 99999999\n${noise}\n`,
    );
  },
  (_, problems) => {
    for (const name of ['hostname', 'engine', 'wifi-country', 'timezone', 'udp']) {
      assert.match(problems, new RegExp(name), name);
    }
  },
);

spoilt(
  'no pitv.txt at all',
  async (disk) => void (await disk.delete('pitv.txt')),
  () => {},
);

spoilt(
  'a data partition that is nothing but noise',
  (disk) =>
    change(disk, 2, (file, start) => file.write(Buffer.alloc(2 * MIB, 'noise'), 0, 2 * MIB, start)),
  (_, problems) => assert.match(problems, /data/i),
);

spoilt(
  'no data partition',
  (disk) => change(disk, 0, (file) => file.write(Buffer.alloc(16), 0, 16, 446 + 32)),
  async (tv, problems) => {
    assert.match(problems, /data/i);
    assert.match(await tv.sh('findmnt -n -o FSTYPE /data'), /tmpfs/);
  },
);

test('a full data partition, and no network', async () => {
  const disk = await cardOf(BOARD);
  let tv = await bootTv(disk, { board: BOARD, machine: MACHINE });
  try {
    await tv.sh(
      'dd if=/dev/zero of=/data/full bs=1M 2>/dev/null; dd if=/dev/zero of=/data/pitv/full bs=1k 2>/dev/null; sync; df /data',
    );
    await tv.machine.powerOff();
    tv = await bootTv(disk, { board: BOARD, machine: MACHINE });
    assert.equal((await tv.sh('systemctl --failed --no-legend --plain --no-pager')).trim(), '');
    console.log(await tv.sh('df -h /data; cat /run/pitv/problems/* 2>/dev/null || true'));
    await tv.machine.powerOff();
    // Without a cable nobody can ask from outside: it is asked inside.
    const { Machine } = await import('../../../image/qemu/machine.js');
    const machine = await Machine.start(disk, { board: BOARD, machine: MACHINE, network: false });
    try {
      await machine.waitFor(/Started.*pitv\.service/, { timeoutMs: 900_000 });
      const ask = `node -e 'fetch("http://127.0.0.1/healthz").then((r) => r.text()).then(console.log)'`;
      const { output } = await machine.run(ask);
      assert.equal(JSON.parse(output).ok, true);
    } finally {
      await machine.close();
    }
  } finally {
    await tv.machine.close();
    await disk.remove();
  }
});
