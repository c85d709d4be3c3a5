/** Finds out whether a folder on the web has a newer update. */
import { readFile } from 'node:fs/promises';
import { PitvError, messageOf } from '../../errors.js';
import { compareVersions } from '../../system/rauc.js';

/** What `make bundle` writes beside a bundle: SYSTEM.json. */
const MAX_LIST_BYTES = 64 * 1024;
const TIMEOUT_MS = 30_000;
const CONFIGURATION = '/etc/rauc/system.conf';

/** Reads the name of this machine's system: its board, and whether it has a browser. */
async function ownSystem() {
  const system = /^compatible=pitv-([\w-]+)$/m.exec(await readFile(CONFIGURATION, 'utf8'))?.[1];
  if (!system) throw new Error(`${CONFIGURATION} names no system`);
  return system;
}

/**
 * Looks for an update.
 * @param {string} folder address that ends with a slash
 * @param {string} own the running version
 * @param {() => Promise<string>} [system] reads the name of the system
 * @returns {Promise<string | undefined>} its address; undefined if none is newer
 * @throws {PitvError} PITV_UPDATE_FILE
 */
export async function findNewer(folder, own, system = ownSystem) {
  try {
    const list = new URL(`${await system()}.json`, folder);
    const response = await fetch(list, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    const { version, file } = JSON.parse(await textOf(response));
    if (typeof version !== 'string' || !/^[\w.+-]{1,200}\.raucb$/.test(file))
      throw new Error(`${list.pathname} is not a list of \`make bundle\``);
    return compareVersions(version, own) > 0 ? new URL(file, folder).href : undefined;
  } catch (cause) {
    const reason = messageOf(Reflect.get(Object(cause), 'cause') ?? cause);
    const where = folder.slice(0, 200);
    const sentence = `Updates cannot be looked for at ${where}: ${reason}.`;
    throw new PitvError('PITV_UPDATE_FILE', sentence, { cause });
  }
}

/** Reads a short body. @param {Response} response */
async function textOf(response) {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (
    /** @type {unknown} */ (response.body)
  )) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_LIST_BYTES) throw new Error('the list is too long');
  }
  return text;
}
