/**
 * Cuts the power at random moments: while the data partition grows, during the start, and while files are written. The
 * card must start each time, confirmed data must be there, and the file system must not need a repair. PITV_POWER_CUTS
 * sets the number of cuts, 3 by default; PITV_SEED repeats a run. armhf.js tests that a match continues after a cut.
 *
 * QEMU writes in order, so cards that lose confirmed data are not tested.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../app/web/lib/random.js';
import { withDisk } from '../../../image/qemu/disk.js';
import { withMachine } from '../../../image/qemu/machine.js';
import { cardFor, checkData, logOf, withTv } from './board.js';

const CUTS = Number(process.env.PITV_POWER_CUTS ?? 3);
const SEED = Number(process.env.PITV_SEED ?? Date.now() % 2 ** 31);
/** Maximum time of writing before a power cut. */
const WRITING_MS = 5000;
/** Time of the first start for the data partition, with some reserve. */
const GROWING_MS = 4000;

const { file, why } = await cardFor('armhf');

/**
 * Saves increasing numbers as the TV saves files (writes a new file, syncs and renames it), and prints each one when it
 * is saved.
 */
const WRITER = `mkdir -p /data/system/cut && cd /data/system/cut
n=$(cat n || echo 0)
while n=$((n + 1)); do
  echo $n >n.new; sync n.new; mv n.new n; sync .
  echo "<saved=$n>" >/dev/console
  sleep 1
done`;
const options = { board: 'armhf', machine: 'virt', network: false, log: logOf('power cut') };

test(`a card survives ${CUTS} power cuts`, { skip: why }, () =>
  withDisk(file, async (disk) => {
    console.log(`# seed ${SEED}`);
    const random = seededRandom(SEED);
    let saved = 0;
    let upMs = 0;
    const cutStart = (/** @type {boolean} */ isFirst) =>
      withMachine(disk, { ...options, counting: true }, async (machine) => {
        if (isFirst) await machine.waitFor(/Starting.*pitv-data\.service/);
        await sleep(random() * (isFirst ? GROWING_MS : upMs));
      });
    const cutWriter = () =>
      withTv(disk, options, async (tv) => {
        upMs = tv.machine.ageMs;
        assert.equal(await tv.complaints(), '');
        const found = Number(await tv.sh('cat /data/system/cut/n 2>/dev/null || echo 0'));
        assert.ok(found >= saved, `${saved} was saved, ${found} was found`);
        await tv.sh(`systemd-run --quiet sh -c '${WRITER}'`);
        await sleep(random() * WRITING_MS);
        await tv.machine.cut();
        const all = [...tv.machine.console.matchAll(/<saved=(\d+)>/g)].map(([, n]) => Number(n));
        saved = Math.max(found, ...all);
      });
    for (let cut = 1; cut <= CUTS + 1; cut++) {
      // The last start is a check of the cut before.
      const isStart = cut % 2 === 1 && cut <= CUTS;
      await (isStart ? cutStart(cut === 1) : cutWriter());
      console.log(
        `# cut ${cut}, ${isStart ? 'during the start' : 'while writing'}: ${saved} saved`,
      );
      await checkData(disk);
    }
  }),
);
