/** `pitv update --requested`: does what the admin page has requested. It runs as root on the card; the TV does not. */
import { constants, lstat, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { variableName } from '../../config/flags.js';
import { parseValue, webAddress } from '../../config/values.js';
import { PitvError, messageOf } from '../../errors.js';
import { LIMITS } from '../../limits/table.js';
import {
  checkBundle,
  install,
  listSystems,
  restart,
  runningVersion,
  tryAgain,
} from '../../system/rauc.js';
import { PROGRESS, SYSTEMS, UPLOAD } from '../../system/updates.js';
import { fetchBundle, findNewer } from './fetch.js';
import { printError } from '../common/output.js';

/** Written by the TV, so nothing in it is trusted. */
const REQUEST = '/run/pitv-tv/update';
const UPLOADED = join('/data/pitv', UPLOAD);
/** Where only root can change it. */
const OWN = '/data/rauc/upload.raucb';
const REPORTS = '/run/pitv/update';
const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
const URL_VARIABLE = variableName('updateUrl');
const CHUNK_BYTES = 1024 * 1024;

/** Writes a report that the TV reads. @param {string} name @param {unknown} content */
async function report(name, content) {
  await mkdir(REPORTS, { recursive: true, mode: 0o755 });
  const path = join(REPORTS, name);
  await writeFile(`${path}.new`, JSON.stringify(content), { mode: 0o644 });
  await rename(`${path}.new`, path);
}

/** Reports both systems. @throws {PitvError} PITV_UPDATE_FAILED */
export const reportSystems = async () => report(SYSTEMS, await listSystems());

/** The last report of the progress. They are written one after the other. */
let reported = Promise.resolve();

/** @param {Omit<import('../../system/updates.js').Progress, 'at'>} progress */
function reportProgress(progress) {
  const write = () => report(PROGRESS, { ...progress, at: Date.now() });
  reported = reported.then(write, write);
  return reported;
}

/** Does what is requested, and restarts the machine. @returns {Promise<number>} the exit status */
export async function installRequested() {
  const { size } = await lstat(REQUEST);
  const request = size > 16 ? '' : (await readFile(REQUEST, 'latin1')).trim();
  // The TV accepts nothing else as long as there is a request or a report of work.
  await reportProgress(
    request === 'look' ? { phase: 'looking' } : { phase: 'installing', percent: 0 },
  );
  await rm(REQUEST, { force: true });
  try {
    const version = await (request === 'again' ? tryAgain() : installNewer(request));
    if (version === undefined) {
      await reportProgress({ phase: 'current' });
      return 0;
    }
    await reportProgress({ phase: 'restarting', version });
    await reportSystems();
    await restart();
    return 0;
  } catch (error) {
    await reportProgress({ phase: 'failed', problem: messageOf(error) });
    printError(`pitv: ${messageOf(error)}\n`);
    return 1;
  }
}

/** Installs an update. @param {string} request @returns {Promise<string | undefined>} its version, if one is newer */
async function installNewer(request) {
  const bundle = await (request === 'look' ? lookFor() : takeUpload());
  if (!bundle) return undefined;
  try {
    const version = await checkBundle(bundle.file);
    await reportProgress({ phase: 'installing', percent: 0, version });
    await install(bundle.file, (percent) => {
      reportProgress({ phase: 'installing', percent, version }).catch(() => {});
    });
    return version;
  } finally {
    await bundle.remove();
  }
}

/** Downloads a newer update. @returns {Promise<{file: string, remove: () => Promise<void>} | undefined>} */
async function lookFor() {
  const folder = parseValue(URL_VARIABLE, webAddress, process.env[URL_VARIABLE] ?? '');
  const url = await findNewer(folder, await runningVersion());
  if (!url) return undefined;
  await reportProgress({ phase: 'downloading' });
  return fetchBundle(url);
}

/** Moves the bundle that the TV has stored to where the TV cannot change it. */
async function takeUpload() {
  const remove = () => rm(OWN, { force: true });
  try {
    await mkdir(dirname(OWN), { recursive: true });
    await remove();
    await takeFile(UPLOADED, OWN);
  } catch (cause) {
    await remove();
    throw new PitvError('PITV_UPDATE_FILE', `The upload is missing: ${messageOf(cause)}.`, {
      cause,
    });
  }
  return { file: OWN, remove };
}

/**
 * Moves a file that its owner may still have open, or have a link to: the content goes to a new file, so that the owner
 * cannot replace a bundle whose version has been checked. It goes from its end on, as there may be no room for both.
 * @param {string} from @param {string} to does not exist; only this user can write to its folder
 */
export async function takeFile(from, to) {
  const taken = join(dirname(to), `taken-${basename(to)}`);
  const files = [];
  try {
    await rename(from, taken); // does not follow a link
    const source = await open(taken, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    files.push(source);
    const about = await source.stat();
    if (!about.isFile()) throw new Error('it is not a file');
    if (about.size > LIMITS.bundleBytes.value) throw new Error('it is too large');
    const target = await open(to, 'wx', 0o600);
    files.push(target);
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let end = about.size; end > 0;) {
      const at = Math.max(0, end - CHUNK_BYTES);
      await source.read(buffer, 0, end - at, at);
      await target.write(buffer, 0, end - at, at);
      await source.truncate(at);
      end = at;
    }
  } finally {
    for (const file of files) await file.close();
    await rm(taken, { force: true, recursive: true });
  }
}
