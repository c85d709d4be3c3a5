/** A card that is tried from the inside, by a client on the board itself: no network is needed for it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Disk } from '../../../image/qemu/disk.js';
import { runJob } from '../../../image/qemu/job.js';
import { logOf } from './board.js';

const CLIENT = new URL('./inside.mjs', import.meta.url);

/** Waits for the end of the start, which it is part of, then looks and plays. */
const SCRIPT = `systemctl is-system-running --wait
systemctl --failed --no-legend --plain --no-pager >failed
{ systemd-analyze time; systemd-analyze critical-chain pitv.service --no-pager; } >analysis
node /boot/firmware/inside.mjs >found.json
`;

/**
 * @param {string} card @param {string} board
 * @param {{machine?: string, deterministic?: boolean}} [options]
 * @returns {Promise<{found: any, failed: string, analysis: string}>} what inside.mjs found; units that
 *   failed; how the start went
 */
export async function playInside(card, board, { machine, deterministic } = {}) {
  const disk = await Disk.copyOf(card);
  try {
    await disk.write('inside.mjs', await readFile(CLIENT, 'utf8'));
    const how = { board, machine, log: logOf(`${board}-inside`) };
    const { files, elapsedMs } = await runJob(disk, how, SCRIPT, { deterministic });
    console.log(`# started and played in ${(elapsedMs / 1000).toFixed(0)} s`);
    const file = (/** @type {string} */ name) => (files.get(name) ?? '').trim();
    const found = JSON.parse(file('found.json') || `{"failed": ${JSON.stringify(file('output'))}}`);
    return { found, failed: file('failed'), analysis: file('analysis') };
  } finally {
    await disk.remove();
  }
}

/**
 * No unit failed, and a whole match was played.
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
