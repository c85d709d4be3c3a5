/**
 * A job that runs inside an emulated board by itself: its script goes onto the boot partition, a unit
 * that the kernel's command line brings starts it, its results come back on the boot partition. Nothing
 * is said to the board meanwhile, so that with `deterministic` two runs are the same to the last
 * instruction. The card has no part of this in it (systemd-debug-generator(8), systemd.extra-unit).
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PitvError } from '../../app/errors.js';
import { Machine } from './machine.js';

const UNIT = `[Unit]
RequiresMountsFor=/boot/firmware
After=pitv-data.service
[Service]
ExecStart=sh /boot/firmware/job/run
`;

/** QEMU counts in powers of two. */
const SHIFT = 1;
/** What an instruction takes where they are counted. */
export const NANOSECONDS = 2 ** SHIFT;

/** Where they can be counted, of each card's machines. @type {Readonly<Record<string, string>>} */
export const COUNTED = Object.freeze({ armel: 'raspi1ap', armhf: 'virt', arm64: 'virt' });

/** Time by counted instructions; no clock and no dice from outside. One core: more would take turns. */
export const DETERMINISTIC = [
  ...['-smp', '1', '-icount', `shift=${SHIFT},sleep=off`],
  ...['-rtc', 'base=2026-01-01,clock=vm', '-seed', '1'],
];

/** What stands around the script: results are written to the card at the end, in one go. */
const RUN = `mkdir -p /tmp/result
cd /tmp/result
sh /boot/firmware/job/script >/tmp/result/output 2>&1 </dev/null
status=$?
mount -o remount,rw /boot/firmware
cp -r /tmp/result /boot/firmware/job/
sync
mount -o remount,ro /boot/firmware
sync
echo "<job=$status>" >/dev/console
`;

/** @returns {string[]} what brings the unit */
export const jobArguments = () => [
  `systemd.set_credential_binary=systemd.extra-unit.job.service:${Buffer.from(UNIT).toString('base64')}`,
  'systemd.wants=job.service',
];

/**
 * @param {import('./disk.js').Disk} disk
 * @param {Omit<import('./machine.js').MachineOptions, 'ports' | 'shell'>} options
 * @param {string} script for sh; its working directory is what comes back, its output is the file `output`
 * @param {{timeoutMs?: number, deterministic?: boolean}} [how]
 * @returns {Promise<{status: number, files: Map<string, string>, elapsedMs: number, console: string}>}
 * @throws {PitvError} PITV_QEMU_ENDED, PITV_QEMU_TIMEOUT, PITV_QEMU_JOB
 */
export async function runJob(
  disk,
  options,
  script,
  { timeoutMs = 3_600_000, deterministic = false } = {},
) {
  await disk.makeFolder('job');
  await disk.write('job/script', script);
  await disk.write('job/run', RUN);
  const machine = await Machine.start(disk, {
    ...options,
    shell: false,
    network: !deterministic && options.network,
    append: [
      ...(options.append ?? []),
      ...(deterministic ? ['norandmaps'] : []),
      ...jobArguments(),
    ],
    qemu: [...(options.qemu ?? []), ...(deterministic ? DETERMINISTIC : [])],
  });
  const folder = await mkdtemp(join(tmpdir(), 'pitv-job-'));
  try {
    const [, status] = await machine.waitFor(/<job=(\d+)>/, { timeoutMs });
    const elapsedMs = machine.ageMs;
    await machine.cut();
    await disk.get('job/result', folder);
    /** @type {Map<string, string>} */
    const files = new Map();
    for (const name of await readdir(join(folder, 'result'))) {
      files.set(name, await readFile(join(folder, 'result', name), 'utf8'));
    }
    if (!files.has('output')) throw new PitvError('PITV_QEMU_JOB', 'The job left nothing behind.');
    return { status: Number(status), files, elapsedMs, console: machine.console };
  } finally {
    await machine.close();
    await rm(folder, { recursive: true, force: true });
  }
}
