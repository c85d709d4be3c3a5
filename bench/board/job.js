/**
 * Runs a job inside an emulated board. Its script is written to the boot partition and started by a unit in
 * the kernel's command line (systemd-debug-generator(8), systemd.extra-unit), so the rest of the card is
 * unchanged. Its results are read from the boot partition. There is no communication with the board, and it counts its
 * instructions, so two runs are the same to the last one.
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PitvError } from '../../app/errors.js';
import { words } from '../../image/sd/shell.js';
import { Machine } from '../../image/qemu/machine.js';

/** An instruction takes 2^SHIFT ns. */
const SHIFT = 1;
/** Duration of an instruction when instructions are counted. */
export const NANOSECONDS = 2 ** SHIFT;

/** The machine of each board that can count instructions. @type {Readonly<Record<string, string>>} */
export const COUNTING_MACHINES = Object.freeze({ armel: 'raspi1ap', armhf: 'virt', arm64: 'virt' });

/**
 * Arguments of QEMU for a machine that counts its instructions: without external clock and random numbers. `-seed`
 * fixes what the board's generator of random numbers returns. On raspi1ap and raspi2b the kernel has no other source
 * that differs between runs, so its random numbers and the addresses that ASLR chooses are the same in each run. On
 * virt they differ, because its disk takes the time of this machine.
 */
const DETERMINISTIC = words`-icount shift=${SHIFT},sleep=off -rtc base=2026-01-01,clock=vm -seed 1`;

/** Runs the script, and writes its results to the card at the end. */
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

/**
 * Returns the words of the kernel's command line that add a unit, which starts when the data is mounted.
 * @param {string} command with a script on the boot partition
 * @returns {string[]}
 */
function unitArguments(command) {
  const unit = `[Unit]
RequiresMountsFor=/boot/firmware
After=pitv-data.service
[Service]
ExecStart=${command}
`;
  const encoded = Buffer.from(unit).toString('base64');
  return [
    `systemd.set_credential_binary=systemd.extra-unit.job.service:${encoded}`,
    'systemd.wants=job.service',
  ];
}

/**
 * Runs a job.
 * @param {import('../../image/qemu/disk.js').Disk} disk
 * @param {Omit<import('../../image/qemu/machine.js').MachineOptions, 'port' | 'shell' | 'network' | 'qemu'>} options
 * @param {string} script for sh; the results are the files in its working directory and its output, the file `output`
 * @param {number} [timeoutMs]
 * @returns {Promise<{files: Map<string, string>, elapsedMs: number, console: string}>}
 * @throws {PitvError} PITV_QEMU_ENDED, PITV_QEMU_TIMEOUT, PITV_QEMU_JOB
 */
export async function runJob(disk, options, script, timeoutMs = 3_600_000) {
  await disk.mtools('mmd', ['::job']);
  await disk.write('job/script', script);
  await disk.write('job/run', RUN);
  const machine = await Machine.start(disk, {
    ...options,
    shell: false,
    network: false,
    counting: true,
    append: [...(options.append ?? []), ...unitArguments('sh /boot/firmware/job/run')],
    qemu: DETERMINISTIC,
  });
  const folder = await mkdtemp(join(tmpdir(), 'pitv-job-'));
  try {
    await machine.waitFor(/<job=\d+>/, { timeoutMs });
    const elapsedMs = machine.ageMs;
    await machine.cut();
    await disk.get('job/result', folder);
    /** @type {Map<string, string>} */
    const files = new Map();
    for (const name of await readdir(join(folder, 'result'))) {
      files.set(name, await readFile(join(folder, 'result', name), 'utf8'));
    }
    if (!files.has('output')) throw new PitvError('PITV_QEMU_JOB', 'The job wrote no results.');
    return { files, elapsedMs, console: machine.console };
  } finally {
    await machine.cut();
    await rm(folder, { recursive: true, force: true });
  }
}
