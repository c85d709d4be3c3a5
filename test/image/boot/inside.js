/** Tests a card with clients in the board, without a network. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { withDisk } from '../../../image/qemu/disk.js';
import { runJob } from '../../../image/qemu/job.js';
import { logOf } from './board.js';

const CLIENT = new URL('./inside.mjs', import.meta.url);

/** Waits for the end of the start, then checks the units and plays. */
const SCRIPT = `systemctl is-system-running --wait
systemctl --failed --no-legend --plain --no-pager >failed
{ systemd-analyze time; systemd-analyze critical-chain pitv.service --no-pager; } >analysis
node /boot/firmware/inside.mjs >found.json
`;

/**
 * Boots a card and plays a match in it.
 * @param {string} card @param {string} board
 * @param {{machine?: string, deterministic?: boolean}} [options]
 * @returns {Promise<{found: any, failed: string, analysis: string}>} results of inside.mjs, failed
 *   units, and times of the start
 */
export async function playInside(card, board, { machine, deterministic } = {}) {
  return withDisk(card, async (disk) => {
    await disk.write('inside.mjs', await readFile(CLIENT, 'utf8'));
    const options = { board, machine, log: logOf(`${board}-inside`) };
    const { files, elapsedMs } = await runJob(disk, options, SCRIPT, { deterministic });
    console.log(`# started and played in ${(elapsedMs / 1000).toFixed(0)} s`);
    const file = (/** @type {string} */ name) => (files.get(name) ?? '').trim();
    const found = JSON.parse(file('found.json') || `{"failed": ${JSON.stringify(file('output'))}}`);
    return { found, failed: file('failed'), analysis: file('analysis') };
  });
}

/**
 * Checks that no unit failed and that a match was played.
 * @param {Awaited<ReturnType<typeof playInside>>} inside
 */
export function assertPlayed({ found, failed, analysis }) {
  console.log(analysis.replace(/^/gm, '# '));
  assert.equal(failed, '');
  assert.equal(found.failed, undefined);
  assert.ok(found.title);
  assert.equal(found.health.ok, true);
  assert.ok(found.frames > 10, `${found.frames} frames`);
  assert.equal(found.reason, 'done');
  assert.deepEqual(found.players, ['Ann', 'Ben', 'Bot', 'Bot']);
}
