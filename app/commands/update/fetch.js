/** Gets the file of an update: a path, or an address from which it is downloaded. */
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PitvError, messageOf } from '../../errors.js';
import { LIMITS } from '../../limits/table.js';
import { limitBytes } from '../../storage/limit-bytes.js';
import { roomForUpdate } from '../../system/updates.js';

/** On the data partition. */
const DOWNLOAD = '/data/rauc/download.raucb';

/**
 * Gets a bundle.
 * @param {string} source a path, or an address of http or https
 * @param {string} [file] where a download is written
 * @param {number} [largest] of a download
 * @returns {Promise<{file: string, remove: () => Promise<void>}>} remove: deletes a download
 * @throws {PitvError} PITV_UPDATE_FILE
 */
export async function fetchBundle(source, file = DOWNLOAD, largest = LIMITS.bundleBytes.value) {
  if (!/^https?:\/\//.test(source)) {
    const path = resolve(source);
    if (!(await stat(path).catch(() => undefined))?.isFile())
      throw new PitvError('PITV_UPDATE_FILE', `There is no file ${path.slice(0, 200)}.`);
    return { file: path, remove: async () => {} };
  }
  const remove = () => rm(file, { force: true });
  try {
    await mkdir(dirname(file), { recursive: true });
    await remove();
    const response = await fetch(source);
    if (!response.ok || !response.body) throw new Error(`the server answers ${response.status}`);
    const maxBytes = Math.min(largest, await roomForUpdate(dirname(file)));
    const tooLarge = () => new Error(`it is larger than ${maxBytes} bytes`);
    // The file exists before anything can fail, so that it does not appear after remove().
    const target = (await open(file, 'w')).createWriteStream();
    const body = Readable.fromWeb(/** @type {any} */ (response.body));
    await pipeline(body, limitBytes(maxBytes, tooLarge), target);
    return { file, remove };
  } catch (cause) {
    await remove();
    const reason = messageOf(Reflect.get(Object(cause), 'cause') ?? cause);
    throw new PitvError(
      'PITV_UPDATE_FILE',
      `The update cannot be downloaded from ${source.slice(0, 200)}: ${reason}.`,
      { cause },
    );
  }
}
