/**
 * Cuts the power at random moments: while the data partition grows, during the start, and while files are written. The
 * card must start each time, confirmed data must be there, and the file system must not need a repair. PITV_POWER_CUTS
 * sets the number of cuts, 10 by default; PITV_SEED repeats a run. armhf.js tests that a match continues after a cut.
 *
 * QEMU writes everything in order. A card that loses data which it had confirmed is not tested here.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Disk } from '../../../image/qemu/disk.js';
import { DETERMINISTIC } from '../../../image/qemu/job.js';
import { Machine } from '../../../image/qemu/machine.js';
import { BOOT_MS, cardFor, checkData, logOf } from './board.js';

const CUTS = Number(process.env.PITV_POWER_CUTS ?? 10);
const SEED = Number(process.env.PITV_SEED ?? Date.now() % 2 ** 31);
const BOARD = 'armhf';
const MACHINE = process.env.PITV_QEMU_MACHINE ?? 'virt';
/** Cards that are cut side by side: one board keeps one core busy. With 10 cuts another file's board has the other. */
const CARDS = CUTS > 10 ? 2 : 1;
/**
 * With its instructions counted a start takes a third of what it costs with four cores that wait for one
 * another, and no clock runs out in the board however slow this machine is. It has no network then.
 */
const COUNTED = { network: false, shell: false, qemu: DETERMINISTIC };
/** The longest it is left to write before the plug is pulled. */
const WRITING_MS = 5000;
/** What the first start needs for the data partition, and some more. */
const GROWING_MS = 4000;

const { file, why } = await cardFor(BOARD);

/** @param {number} seed @returns {() => number} [0, 1), a sequence (Park and Miller) */
function dice(seed) {
  let state = 1 + (seed % 2147483646);
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/**
 * Runs in the board from early on, put there by the kernel's command line. Counts in a file the way the
 * TV keeps things (a new file, flushed, renamed) and says each number once it is kept; says what a look
 * at the TV gives, once it is up.
 */
const WRITER = `say() { echo "<$*>" >/dev/console; }
mkdir -p /data/system/cut
cd /data/system/cut
n=$(cat n 2>/dev/null || echo 0)
say found=$n
(
  while :; do
    n=$((n + 1))
    echo $n >n.new; sync n.new; mv n.new n; sync .
    say kept=$n
    sleep 1
  done
) &
until systemctl -q is-active pitv; do sleep 1; done
exec 3<>/dev/tcp/127.0.0.1/80
printf 'GET /healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3
say up $(tail -n 1 <&3) wrong: $(systemctl --failed --no-legend --plain) $(cat /run/pitv/problems/* 2>/dev/null)
wait
`;
const UNIT = `[Unit]
RequiresMountsFor=/boot/firmware
After=pitv-data.service
[Service]
ExecStart=bash /boot/firmware/cut.sh
`;
const append = [
  `systemd.set_credential_binary=systemd.extra-unit.cut.service:${Buffer.from(UNIT).toString('base64')}`,
  'systemd.wants=cut.service',
];

describe('power cuts', { concurrency: CARDS }, () => {
  console.log(`# ${CUTS} cuts, seed ${SEED}`);
  for (let card = 0; card < CARDS; card++) {
    const cuts = Math.floor((CUTS + card) / CARDS);
    if (cuts === 0) continue;
    test(`card ${card + 1}: ${cuts} cuts`, { skip: why }, async () => {
      const disk = await Disk.copyOf(file);
      try {
        await disk.write('cut.sh', WRITER);
        await cutAndCutAgain(disk, cuts, dice(SEED + card), logOf(`power cut ${card + 1}`));
      } finally {
        await disk.remove();
      }
    });
  }
});

/**
 * @param {Disk} disk @param {number} cuts @param {() => number} random @param {string} log
 */
async function cutAndCutAgain(disk, cuts, random, log) {
  let kept = 0;
  let upMs = 0;
  for (let cut = 1; cut <= cuts + 1; cut++) {
    const machine = await Machine.start(disk, {
      board: BOARD,
      machine: MACHINE,
      append,
      log,
      ...COUNTED,
    });
    try {
      // The last start is there to see that the card starts.
      const when = cut > cuts ? 'not' : cut === 1 ? 'growing' : cut % 2 === 0 ? 'up' : 'starting';
      if (when === 'growing') {
        await machine.waitFor(/Starting.*pitv-data\.service/, { timeoutMs: BOOT_MS });
        await sleep(random() * GROWING_MS);
      } else if (when === 'starting') await sleep(random() * upMs);
      else {
        const [, said] = await machine.waitFor(/<up (.*)>/, { timeoutMs: BOOT_MS });
        upMs = machine.ageMs;
        assert.match(said, /^\{"ok":true.*\} wrong:\s*$/);
        if (when === 'up') await sleep(random() * WRITING_MS);
      }
      await machine.cut();
      const found = /<found=(\d+)>/.exec(machine.console)?.[1];
      if (found) assert.ok(Number(found) >= kept, `${kept} had been kept, ${found} was found`);
      for (const [, n] of machine.console.matchAll(/<kept=(\d+)>/g))
        kept = Math.max(kept, Number(n));
      const seconds = (machine.ageMs / 1000).toFixed(1);
      if (when !== 'not') console.log(`# cut ${cut}, ${when}, after ${seconds} s: ${kept} kept`);
      await checkData(disk);
    } finally {
      await machine.close();
    }
  }
}

/** @param {number} ms @returns {Promise<void>} */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
