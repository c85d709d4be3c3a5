/** Screen and keyboard of an emulated board that was started with `screen`. */

/** @typedef {import('./machine.js').Machine} Machine */

/** Writes what the screen shows to a PNG file. @param {Machine} machine @param {string} file */
export async function takePicture(machine, file) {
  await (await machine.qmp)?.execute('screendump', { filename: file, format: 'png' });
}

/** Presses a key. @param {Machine} machine @param {string} qcode QEMU's name of the key */
export async function press(machine, qcode) {
  const keys = [{ type: 'qcode', data: qcode }];
  await (await machine.qmp)?.execute('send-key', { keys });
}
