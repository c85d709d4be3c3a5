/** Measures the memory of a TV on a board. */
import assert from 'node:assert/strict';
import { parseMemory, sumMemory } from '../../../app/process/memory-account.js';

/** Minimum number of merged pages of two workers: 1 MiB. */
const PAGES_SHARED = 256;
const UNIT = '/sys/fs/cgroup/system.slice/pitv.service';

/**
 * Measures the memory of the TV's processes.
 * @param {import('./board.js').Tv} tv
 * @returns {Promise<{text: string, unreclaimableKib: number}>} text: the sum and each process
 */
export async function measureMemory(tv) {
  const output = await tv.sh(
    `for p in $(find ${UNIT} -name cgroup.procs -exec cat {} +); do echo "@$(tr "\\0" " " </proc/$p/cmdline | cut -c1-40)"; grep "^Pss" /proc/$p/smaps_rollup || true; done`,
  );
  const each = output
    .split(/^@/m)
    .filter((text) => /^Pss:/m.test(text)) // the process may have ended
    .map((text) => ({ name: text.split('\n')[0].trim(), memory: parseMemory(text) }));
  const { unreclaimableKib, pssKib } = sumMemory(each.map((one) => one.memory));
  assert.ok(unreclaimableKib > 0 && unreclaimableKib < pssKib, output);
  const list = each.map((one) => `${one.name} ${one.memory.unreclaimableKib}`).join(', ');
  return {
    unreclaimableKib,
    text: `PSS ${pssKib} KiB, unreclaimable ${unreclaimableKib}: ${list}`,
  };
}

/** Checks that pages are merged. @param {import('./board.js').Tv} tv */
export async function checkMerging(tv) {
  await tv.sh('touch /run/pitv/ksm; systemctl start pitv-ksm');
  await tv.sh(
    `for i in $(seq 900); do [ $(cat /sys/kernel/mm/ksm/pages_sharing) -gt ${PAGES_SHARED} ] && exit 0; sleep 1; done; exit 1`,
    { timeoutMs: 1_000_000 },
  );
  const status = await tv.sh('pitv ksm status', { timeoutMs: 600_000 });
  console.log(status);
  const [, mib] = /^saved ([\d.]+) MiB/m.exec(status) ?? [];
  assert.ok(Number(mib) > 0, status);
}
