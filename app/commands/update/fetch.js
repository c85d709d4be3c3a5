/** Finds and downloads updates: files, or addresses of the web. */
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { PitvError, messageOf } from '../../errors.js';
import { LIMITS } from '../../limits/table.js';
import { limitBytes } from '../../storage/limit-bytes.js';
import { compareVersions } from '../../system/rauc.js';
import { roomForUpdate } from '../../system/updates.js';

/** On the data partition. */
const DOWNLOAD = '/data/rauc/download.raucb';
/** What `make bundle` writes beside a bundle: SYSTEM.json. */
const MAX_LIST_BYTES = 64 * 1024;
const TIMEOUT_MS = 30_000;
const CONFIGURATION = '/etc/rauc/system.conf';

/**
 * Gets a bundle.
 * @param {string} source a path, or an address of http or https
 * @param {string} [file] where a download is written @param {number} [largest] of a download
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
    const body = await get(source);
    const maxBytes = Math.min(largest, await roomForUpdate(dirname(file)));
    const tooLarge = () => new Error(`it is larger than ${maxBytes} bytes`);
    // The file exists before anything can fail, so that it does not appear after remove().
    const target = (await open(file, 'w')).createWriteStream();
    await pipeline(Readable.fromWeb(body), limitBytes(maxBytes, tooLarge), target);
    return { file, remove };
  } catch (cause) {
    await remove();
    throw failure(`The update cannot be downloaded from ${source.slice(0, 200)}`, cause);
  }
}

/**
 * Looks for an update.
 * @param {string} folder address that ends with a slash @param {string} own the running version
 * @param {() => Promise<string>} [system] reads the name of the system
 * @returns {Promise<string | undefined>} its address; undefined if none is newer
 * @throws {PitvError} PITV_UPDATE_FILE
 */
export async function findNewer(folder, own, system = ownSystem) {
  try {
    const list = new URL(`${await system()}.json`, folder);
    const body = await get(list, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const limit = limitBytes(MAX_LIST_BYTES, () => new Error('the list is too long'));
    const { version, file } = JSON.parse(await pipeline(Readable.fromWeb(body), limit, text));
    if (typeof version !== 'string' || !/^[\w.+-]{1,200}\.raucb$/.test(file))
      throw new Error(`${list.pathname} is not a list of \`make bundle\``);
    return compareVersions(version, own) > 0 ? new URL(file, folder).href : undefined;
  } catch (cause) {
    throw failure(`Updates cannot be looked for at ${folder.slice(0, 200)}`, cause);
  }
}

/** Reads the name of this machine's system: its board, and whether it has a browser. */
async function ownSystem() {
  const system = /^compatible=pitv-([\w-]+)$/m.exec(await readFile(CONFIGURATION, 'utf8'))?.[1];
  if (!system) throw new Error(`${CONFIGURATION} names no system`);
  return system;
}

/**
 * Sends a request.
 * @param {string | URL} url @param {RequestInit} [options]
 * @returns {Promise<import('node:stream/web').ReadableStream<Uint8Array>>} the body of the answer
 */
async function get(url, options) {
  const { ok, body, status } = await fetch(url, options);
  if (!ok || !body) throw new Error(`the server answers ${status}`);
  return /** @type {any} */ (body);
}

/** @param {string} what cannot be done @param {unknown} cause of fetch(), which has the reason as its cause */
function failure(what, cause) {
  const reason = messageOf(Reflect.get(Object(cause), 'cause') ?? cause);
  return new PitvError('PITV_UPDATE_FILE', `${what}: ${reason}.`, { cause });
}
