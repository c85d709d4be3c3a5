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
import { DETERMINISTIC, unitArguments } from '../../../bench/board/job.js';
import { withMachine } from '../../../image/qemu/machine.js';
import { MACHINE, cardFor, checkData, logOf } from './board.js';

const CUTS = Number(process.env.PITV_POWER_CUTS ?? 3);
const SEED = Number(process.env.PITV_SEED ?? Date.now() % 2 ** 31);
/** Maximum time of writing before a power cut. */
const WRITING_MS = 5000;
/** Time of the first start for the data partition, with some reserve. */
const GROWING_MS = 4000;

const { file, why } = await cardFor('armhf');

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
const options = {
  board: 'armhf',
  machine: MACHINE,
  append: unitArguments('bash /boot/firmware/cut.sh'),
  log: logOf('power cut'),
  // With counted instructions a start takes a third of the time with four cores, which wait for each other, and no
  // timeout expires in the board on a slow machine. The board has no network then.
  network: false,
  shell: false,
  qemu: ['-smp', '1', ...DETERMINISTIC],
};

test(`a card survives ${CUTS} power cuts`, { skip: why }, () =>
  withDisk(file, async (disk) => {
    console.log(`# seed ${SEED}`);
    await disk.write('cut.sh', WRITER);
    const random = seededRandom(SEED);
    let saved = 0;
    let upMs = 0;
    for (let cut = 1; cut <= CUTS + 1; cut++)
      await withMachine(disk, options, async (machine) => {
        // The last start is not cut; it checks that the card starts.
        const when = cut > CUTS ? 'not' : cut === 1 ? 'growing' : cut % 2 === 0 ? 'up' : 'starting';
        if (when === 'growing') {
          await machine.waitFor(/Starting.*pitv-data\.service/);
          await sleep(random() * GROWING_MS);
        } else if (when === 'starting') await sleep(random() * upMs);
        else {
          const [, status] = await machine.waitFor(/<up (.*)>/);
          upMs = machine.ageMs;
          assert.match(status, /^\{"ok":true.*\} wrong:\s*$/);
          if (when === 'up') await sleep(random() * WRITING_MS);
        }
        await machine.cut();
        const found = Number(/<found=(\d+)>/.exec(machine.console)?.[1] ?? saved);
        assert.ok(found >= saved, `${saved} was saved, ${found} was found`);
        const all = [...machine.console.matchAll(/<saved=(\d+)>/g)].map(([, n]) => Number(n));
        saved = Math.max(saved, ...all);
        console.log(`# cut ${cut}, ${when}, after ${Math.round(machine.ageMs)} ms: ${saved} saved`);
        await checkData(disk);
      });
  }),
);
