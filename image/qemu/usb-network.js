/**
 * The network adapter of QEMU's Raspberry Pis is a USB device. If it is plugged in at the start, it is often
 * not detected, because the kernel's driver (dwc2) finds the port empty during its reset. So it is plugged in
 * after the port has been detected, and unplugged and plugged in again until the adapter is detected.
 */
import { setTimeout as delay } from 'node:timers/promises';

const PORT = /hub \d-0:1\.0: \d+ ports? detected/;
const DETECTED = /usb0: register '/;
const NOT_DETECTED = /unable to enumerate USB device|can't set config|Not connected/;
/** Time in which the kernel detects the adapter or reports a failure. */
const DETECT_MS = 60_000;
const UNPLUGGED_MS = 500;
const MAX_ATTEMPTS = 20;

/**
 * Plugs in the network adapter until it is detected.
 * @param {import('./machine.js').Machine} machine
 * @param {import('./qmp.js').Qmp} qmp
 * @param {string} netdev
 * @returns {Promise<number>} number of attempts
 * @throws {import('../../app/errors.js').PitvError} PITV_QEMU_ENDED, PITV_QEMU_TIMEOUT
 */
export async function plugIn(machine, qmp, netdev) {
  await machine.waitFor(PORT, { timeoutMs: 2 ** 31 - 1 });
  for (let attempt = 1; ; attempt++) {
    const from = machine.mark();
    const id = `${netdev}${attempt}`;
    await qmp.execute('device_add', { driver: 'usb-net', netdev, id });
    const either = new RegExp(`${DETECTED.source}|${NOT_DETECTED.source}`);
    const found = await machine.waitFor(either, { from, timeoutMs: DETECT_MS }).catch((error) => {
      if (error.code === 'PITV_QEMU_ENDED' || attempt === MAX_ATTEMPTS) throw error;
      return ['nothing'];
    });
    if (DETECTED.test(found[0])) return attempt;
    await qmp.execute('device_del', { id });
    await delay(UNPLUGGED_MS);
  }
}
