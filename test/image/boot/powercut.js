/**
 * Pulls the plug at random moments, while the board starts and while it writes: it has to start again
 * each time, what was said to be kept has to be there, and the file system must not need a repair.
 * PITV_POWER_CUTS cuts, 10 by default; PITV_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bootTv, cardOf, checkData } from './board.js';

const CUTS = Number(process.env.PITV_POWER_CUTS ?? 10);
const SEED = Number(process.env.PITV_SEED ?? Date.now() % 2 ** 31);
const BOARD = 'armhf';
const MACHINE = process.env.PITV_QEMU_MACHINE ?? 'virt';
/** The longest it is left to write before the plug is pulled. */
const WRITING_MS = 5000;

let state = SEED;
/** @returns {number} [0, 1), the next of a seeded sequence (Park and Miller) */
function random() {
  state = (state * 48271) % 2147483647;
  return state / 2147483647;
}

/**
 * Counts in a file the way the TV keeps things: a new file, flushed, then renamed. Says each number
 * once it is kept.
 */
const WRITER = `mkdir -p /data/pitv/cut; cd /data/pitv/cut; n=$(cat n 2>/dev/null || echo 0)
(while :; do n=$((n+1)); echo $n >n.new; sync n.new; mv n.new n; sync .; echo "<kept=$n>" >/dev/console; done) >/dev/null 2>&1 &
cat n 2>/dev/null || echo 0`;

/** @type {import('../../../image/qemu/disk.js').Disk} */
let disk;
let kept = 0;
/** @type {import('./board.js').Tv | undefined} */
let tv;

before(async () => {
  console.log(`# seed ${SEED}`);
  disk = await cardOf(BOARD);
});
after(async () => {
  await tv?.machine.close();
  await disk?.remove();
});

for (let cut = 1; cut <= CUTS; cut++) {
  test(`cut ${cut}`, async () => {
    // One in three is cut on its way up, the first growing of the data partition among them.
    if (cut % 3 === 1) {
      const { Machine } = await import('../../../image/qemu/machine.js');
      const machine = await Machine.start(disk, { board: BOARD, machine: MACHINE });
      await machine.waitFor(/Starting.*pitv-data\.service|Started.*debug-shell/);
      await new Promise((resolve) => setTimeout(resolve, random() * 3 * WRITING_MS));
      await machine.cut();
      await checkData(disk);
    }
    tv = await bootTv(disk, { board: BOARD, machine: MACHINE });
    const { machine } = tv;
    const failed = await tv.sh(
      'systemctl --failed --no-legend --plain --no-pager; cat /run/pitv/problems/* 2>/dev/null || true',
    );
    assert.equal(failed.trim(), '');
    const found = Number(await tv.sh(WRITER));
    assert.ok(found >= kept, `${kept} had been kept, ${found} is there`);
    const from = machine.mark();
    await machine.waitFor(/<kept=\d+>/, { from });
    await new Promise((resolve) => setTimeout(resolve, random() * WRITING_MS));
    await machine.cut();
    const said = [...machine.console.matchAll(/<kept=(\d+)>/g)].map(([, n]) => Number(n));
    kept = Math.max(kept, ...said);
    console.log(`# cut ${cut}: ${kept} kept`);
    await checkData(disk);
  });
}
