/**
 * The network of QEMU's Raspberry Pis is a USB device. Put in before the board is switched on, it is
 * often not recognised: the kernel's driver (dwc2) finds the port empty while it resets it. So it is put
 * in as a person would do it, when there is a port to put it into, and out and in again until it is seen.
 */
const PORT = /hub \d-0:1\.0: \d+ ports? detected/;
const SEEN = /usb0: register '/;
const NOT_SEEN = /unable to enumerate USB device|can't set config|Not connected/;
/** How long the kernel may take to see it, or to say that it does not. */
const SEE_MS = 60_000;
const OUT_MS = 500;
const ATTEMPTS = 20;

/**
 * @param {import('./machine.js').Machine} machine
 * @param {import('./qmp.js').Qmp} qmp
 * @param {string} netdev
 * @returns {Promise<number>} how many times it was put in
 * @throws {import('../../app/errors.js').PitvError} PITV_QEMU_ENDED, PITV_QEMU_TIMEOUT
 */
export async function plugIn(machine, qmp, netdev) {
  await machine.waitFor(PORT, { timeoutMs: 2 ** 31 - 1 });
  for (let attempt = 1; ; attempt++) {
    const from = machine.mark();
    const id = `${netdev}${attempt}`;
    await qmp.execute('device_add', { driver: 'usb-net', netdev, id });
    const either = new RegExp(`${SEEN.source}|${NOT_SEEN.source}`);
    const said = await machine.waitFor(either, { from, timeoutMs: SEE_MS }).catch((error) => {
      if (error.code === 'PITV_QEMU_ENDED' || attempt === ATTEMPTS) throw error;
      return ['nothing'];
    });
    if (SEEN.test(said[0])) return attempt;
    await qmp.execute('device_del', { id });
    await new Promise((resolve) => setTimeout(resolve, OUT_MS));
  }
}
