/**
 * Cuts the power at random moments: while the data partition grows, during the start, and while files are written. The
 * card must start each time, confirmed data must be there, and the file system must not need a repair. PITV_POWER_CUTS
 * sets the number of cuts, 5 by default; PITV_SEED repeats a run. armhf.js tests that a match continues after a cut.
 *
 * QEMU writes in order, so cards that lose confirmed data are not tested.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../app/web/lib/random.js';
import { withDisk } from '../../../image/qemu/disk.js';
import { DETERMINISTIC, unitArguments } from '../../../image/qemu/job.js';
import { withMachine } from '../../../image/qemu/machine.js';
import { BOOT_MS, cardFor, checkData, logOf } from './board.js';

const CUTS = Number(process.env.PITV_POWER_CUTS ?? 5);
const SEED = Number(process.env.PITV_SEED ?? Date.now() % 2 ** 31);
const BOARD = 'armhf';
const MACHINE = process.env.PITV_QEMU_MACHINE ?? 'virt';
/** Number of cards in parallel. A board keeps a core busy; with few cuts the other core is left for other tests. */
const CARDS = CUTS > 10 ? 2 : 1;
/**
 * With counted instructions a start takes a third of the time with four cores, which wait for each other, and no
 * timeout expires in the board on a slow machine. The board has no network then.
 */
const COUNTED = { network: false, shell: false, qemu: ['-smp', '1', ...DETERMINISTIC] };
/** Maximum time of writing before a power cut. */
const WRITING_MS = 5000;
/** Time of the first start for the data partition, with some reserve. */
const GROWING_MS = 4000;

const { file, why } = await cardFor(BOARD);

/**
 * A script in the board, started early by a unit in the kernel's command line. It saves increasing numbers like the
 * TV saves files (writes a new file, syncs and renames it) and prints each number after it is saved. When the TV has
 * started, it prints the TV's health.
 */
const WRITER = `log() { echo "<$*>" >/dev/console; }
mkdir -p /data/system/cut
cd /data/system/cut
n=$(cat n 2>/dev/null || echo 0)
log found=$n
(
  while :; do
    n=$((n + 1))
    echo $n >n.new; sync n.new; mv n.new n; sync .
    log saved=$n
    sleep 1
  done
) &
until systemctl -q is-active pitv; do sleep 1; done
exec 3<>/dev/tcp/127.0.0.1/80
printf 'GET /healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3
log up $(tail -n 1 <&3) wrong: $(systemctl --failed --no-legend --plain) $(cat /run/pitv/problems/* 2>/dev/null)
wait
`;
const append = unitArguments('bash /boot/firmware/cut.sh');

describe('power cuts', { concurrency: CARDS }, () => {
  console.log(`# ${CUTS} cuts, seed ${SEED}`);
  for (let card = 0; card < CARDS; card++) {
    const cuts = Math.floor((CUTS + card) / CARDS);
    if (cuts === 0) continue;
    test(`card ${card + 1}: ${cuts} cuts`, { skip: why }, () =>
      withDisk(file, async (disk) => {
        await disk.write('cut.sh', WRITER);
        await cutRepeatedly(disk, cuts, seededRandom(SEED + card), logOf(`power cut ${card + 1}`));
      }),
    );
  }
});

/**
 * @param {import('../../../image/qemu/disk.js').Disk} disk @param {number} cuts @param {() => number} random
 * @param {string} log
 */
async function cutRepeatedly(disk, cuts, random, log) {
  let saved = 0;
  let upMs = 0;
  for (let cut = 1; cut <= cuts + 1; cut++) {
    const options = { board: BOARD, machine: MACHINE, append, log, ...COUNTED };
    await withMachine(disk, options, async (machine) => {
      // The last start is not cut; it checks that the card starts.
      const when = cut > cuts ? 'not' : cut === 1 ? 'growing' : cut % 2 === 0 ? 'up' : 'starting';
      if (when === 'growing') {
        await machine.waitFor(/Starting.*pitv-data\.service/, { timeoutMs: BOOT_MS });
        await sleep(random() * GROWING_MS);
      } else if (when === 'starting') await sleep(random() * upMs);
      else {
        const [, status] = await machine.waitFor(/<up (.*)>/, { timeoutMs: BOOT_MS });
        upMs = machine.ageMs;
        assert.match(status, /^\{"ok":true.*\} wrong:\s*$/);
        if (when === 'up') await sleep(random() * WRITING_MS);
      }
      await machine.cut();
      const found = /<found=(\d+)>/.exec(machine.console)?.[1];
      if (found) assert.ok(Number(found) >= saved, `${saved} was saved, ${found} was found`);
      for (const [, n] of machine.console.matchAll(/<saved=(\d+)>/g))
        saved = Math.max(saved, Number(n));
      const seconds = (machine.ageMs / 1000).toFixed(1);
      if (when !== 'not') console.log(`# cut ${cut}, ${when}, after ${seconds} s: ${saved} saved`);
      await checkData(disk);
    });
  }
}
