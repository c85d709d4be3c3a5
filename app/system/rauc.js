/**
 * The two systems of a card, installed and chosen by RAUC (https://rauc.readthedocs.io). The boot loader starts the
 * first one of BOOT_ORDER that has tries left, and counts the tries (image/update/boot/boot.cmd).
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PitvError, messageOf } from '../errors.js';
import { readVersion } from '../version.js';
import { busy, unsupported } from './updates.js';

const run = promisify(execFile);
const CONFIGURATION = '/etc/rauc/system.conf';
/** Why the last update did not work. Its own system writes it, and the one before it reads it. */
export const REASON = '/data/rauc/reason';
/** The reason of a system that has written none. */
export const NOT_STARTED = 'it did not start, or was switched off before it was ready';
/** A new system has as many tries; one that has worked has more (boot-attempts= in system.conf). */
const NEW_TRIES = 3;
/** What RAUC says while it does something else, how often it is asked again, and after how many ms. */
const BUSY = /already processing a different method/i;
const BUSY_TRIES = 10;
const BUSY_MS = 1000;
/** What RAUC says last when it refuses or fails. */
const LAST_ERROR = /^LastError: (.*)$/;

/** The start of a squashfs: the place of its length, and the first byte of a signature. */
const SUPERBLOCK_BYTES = 96;
const BYTES_USED_AT = 40;
const DER_SEQUENCE = 0x30;

/**
 * @typedef {object} InstalledSystem
 * @property {string} name A or B
 * @property {boolean} running
 * @property {boolean} good whether the boot loader may start it
 * @property {string} [version] of the update; undefined: the one that was flashed, or none
 * @property {string} [failure] why the update did not work, as a clause; it may be tried again
 */

/**
 * Checks that this machine has two systems and accepts updates, and starts RAUC's service.
 * @throws {PitvError} PITV_UPDATE_UNSUPPORTED, PITV_UPDATE_FAILED
 */
export async function checkUpdatable() {
  await access(CONFIGURATION).catch((cause) => {
    throw unsupported(cause);
  });
  // On a slow board its start can take longer than D-Bus waits.
  await output('systemctl', ['start', 'rauc']);
}

/**
 * Reads the JSON of `rauc status`. An update did not work if the boot loader should start its system, but has no tries
 * left for it.
 * @param {string} text @param {string} [wanted] name of the system that the boot loader should start
 * @param {string} [reason] why the update did not work @returns {InstalledSystem[]} in the order of their names
 */
export function parseSystems(text, wanted, reason) {
  const { booted, slots } = JSON.parse(text);
  return slots
    .flatMap((/** @type {object} */ each) => Object.values(each))
    .filter((/** @type {any} */ slot) => slot.bootname)
    .map((/** @type {any} */ { bootname: name, boot_status: status, slot_status: slot }) => {
      const [running, good] = [name === booted, status === 'good'];
      const failure = name === wanted && !running && !good ? reason : undefined;
      return { name, running, good, version: slot?.bundle?.version, failure };
    })
    .sort((/** @type {InstalledSystem} */ a, /** @type {InstalledSystem} */ b) =>
      a.name < b.name ? -1 : 1,
    );
}

/** Lists the systems. The running one has a version. @throws {PitvError} PITV_UPDATE_BUSY, PITV_UPDATE_FAILED */
export async function listSystems() {
  const args = ['status', '--detailed', '--output-format=json'];
  const flashed = await imageVersion();
  const status = await askRauc(args);
  const reason = await readFile(REASON, 'utf8').catch(() => '');
  const systems =
    reason === ''
      ? parseSystems(status)
      : parseSystems(status, (await readChoice()).wanted, reason);
  return systems.map((system) =>
    system.running ? { ...system, version: system.version ?? flashed } : system,
  );
}

/** Returns the version that the card was flashed with. */
const imageVersion = () =>
  readFile('/usr/lib/pitv-image/version', 'utf8').then((text) => text.trim(), readVersion);

/** Returns the version of the running system. @returns {Promise<string>} @throws {PitvError} PITV_UPDATE_FAILED */
export async function runningVersion() {
  const running = (await listSystems()).find((each) => each.running);
  return running?.version ?? imageVersion();
}

/**
 * Tells whether a file has both ends of a bundle: a squashfs that fits, and behind it a signature in DER and its length
 * (big-endian). A download that was cut, or another file, has not. Source: RAUC, "Bundle Formats".
 * @param {string} file @returns {Promise<boolean>}
 */
export async function isWhole(file) {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const head = Buffer.alloc(SUPERBLOCK_BYTES);
    await handle.read(head, 0, head.length, 0);
    const tail = Buffer.alloc(8);
    await handle.read(tail, 0, tail.length, Math.max(0, size - tail.length));
    const signatureAt = size - tail.length - Number(tail.readBigUInt64BE());
    if (head.toString('latin1', 0, 4) !== 'hsqs' || signatureAt > size - tail.length - 2)
      return false;
    if (signatureAt < Number(head.readBigUInt64LE(BYTES_USED_AT))) return false;
    await handle.read(tail, 0, 1, signatureAt);
    return tail[0] === DER_SEQUENCE;
  } finally {
    await handle.close();
  }
}

/** Reads the version of a signed bundle. @param {string} file @throws {PitvError} PITV_UPDATE_REFUSED */
async function versionOf(file) {
  if (!(await isWhole(file))) throw refusal('this is not a complete update file');
  try {
    const { stdout } = await run('rauc', ['info', '--output-format=json', file]);
    return JSON.parse(stdout).version ?? '';
  } catch (cause) {
    const lines = String(Reflect.get(Object(cause), 'stderr') ?? messageOf(cause)).trim();
    throw refusal(lines.split('\n').at(-1) ?? '', cause);
  }
}

/**
 * Compares versions such as 0.1.0+20261125.202611281930: three numbers, the date of the packages, and the time of the
 * commit. A version without the last parts is older.
 * @param {string} p @param {string} q
 * @returns {number} negative if p is older, positive if it is newer, 0 if they are equal
 */
export function compareVersions(p, q) {
  const parts = (/** @type {string} */ version) => {
    const [numbers, build = ''] = version.split('+');
    return { numbers: numbers.split('.').map((each) => Number.parseInt(each, 10) || 0), build };
  };
  const [a, b] = [parts(p), parts(q)];
  for (let i = 0; i < 3; i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.build < b.build ? -1 : Number(a.build > b.build);
}

/**
 * Checks that a bundle is complete and signed, and not older than the running system.
 * @param {string} file @param {{allowOlder?: boolean}} [options]
 * @returns {Promise<string>} its version
 * @throws {PitvError} PITV_UPDATE_REFUSED, PITV_UPDATE_FAILED
 */
export async function checkBundle(file, { allowOlder = false } = {}) {
  const [version, own] = [await versionOf(file), await runningVersion()];
  if (!allowOlder && compareVersions(version, own) < 0)
    throw refusal(`version ${version} is older than the running ${own}`);
  return version;
}

/** @param {string} reason @param {unknown} [cause] */
const refusal = (reason, cause) =>
  new PitvError(
    'PITV_UPDATE_REFUSED',
    `The update was not installed: ${reason.replace(/\.$/, '')}. The running system is unchanged.`,
    { cause },
  );

/**
 * Reads the boot loader's choice.
 * @returns {Promise<{running: string, wanted: string, isNew: boolean}>} wanted: the system that it should start first;
 *   isNew: the running one has not worked yet
 * @throws {PitvError} PITV_UPDATE_FAILED
 */
export async function readChoice() {
  const [, running = ''] = /\brauc\.slot=(\S+)/.exec(await readFile('/proc/cmdline', 'utf8')) ?? [];
  const read = (/** @type {string} */ name) => output('fw_printenv', ['-n', name]);
  const [order, left] = await Promise.all([read('BOOT_ORDER'), read(`BOOT_${running}_LEFT`)]);
  const [wanted] = order.split(' ');
  return { running, wanted, isNew: Number(left) < NEW_TRIES };
}

/** Marks the running system as good, after an installation that runs. @throws {PitvError} PITV_UPDATE_FAILED */
export async function markGood() {
  await askRauc(['status', 'mark-good'], Infinity);
  await output('sync', []);
}

/**
 * Installs a bundle into the system that is not running. The boot loader starts that one next.
 * @param {string} file @param {(percent: number) => void} [onProgress]
 * @throws {PitvError} PITV_UPDATE_REFUSED, PITV_UPDATE_BUSY
 */
export async function install(file, onProgress = () => {}) {
  await rm(REASON, { force: true }); // of an earlier one, which cannot be tried again from now on
  await whileBusy(() => tryInstall(file, onProgress));
  await noteReason(NOT_STARTED);
}

/**
 * Gives the update that did not work its tries again.
 * @returns {Promise<string>} its version
 * @throws {PitvError} PITV_UPDATE_FAILED if there is none, PITV_UPDATE_BUSY
 */
export async function tryAgain() {
  const { version, failure } = (await listSystems()).find((each) => each.failure) ?? {};
  if (!failure) throw new PitvError('PITV_UPDATE_FAILED', 'There is no update to try again.');
  await askRauc(['status', 'mark-active', 'other'], Infinity);
  await noteReason(NOT_STARTED);
  return version ?? '';
}

/** Stores why a new system does not work. @param {string} reason */
export async function noteReason(reason) {
  await mkdir(dirname(REASON), { recursive: true });
  await writeFile(REASON, reason);
  await output('sync', []);
}

/** @param {string} file @param {(percent: number) => void} onProgress @throws {PitvError} PITV_UPDATE_REFUSED */
async function tryInstall(file, onProgress) {
  const { createInterface } = await import('node:readline'); // a TV that runs needs it for nothing else
  const child = spawn('rauc', ['install', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close').catch((error) => [messageOf(error)]);
  let reason = '';
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      reason = LAST_ERROR.exec(line)?.[1] ?? BUSY.exec(line)?.[0] ?? reason;
      const percent = /^\s*(\d+)% /.exec(line)?.[1];
      if (percent) onProgress(Number(percent));
    });
  }
  const [status] = await ended;
  if (status !== 0) throw refusal(reason || `rauc ended with ${status}`);
}

/** Restarts the machine. The TV saves its matches first. @throws {PitvError} PITV_UPDATE_FAILED */
export const restart = () => output('systemctl', ['--no-block', 'reboot']);

/**
 * Runs a command of RAUC.
 * @param {string[]} args @param {number} [tries] see whileBusy
 * @throws {PitvError} PITV_UPDATE_BUSY, PITV_UPDATE_FAILED
 */
const askRauc = (args, tries) => whileBusy(() => output('rauc', args), tries);

/**
 * Repeats an action while RAUC does something else.
 * @template T @param {() => Promise<T>} action @param {number} [tries] one a second
 * @returns {Promise<T>}
 * @throws {PitvError} PITV_UPDATE_BUSY, and the errors of the action
 */
async function whileBusy(action, tries = BUSY_TRIES) {
  for (; ; tries--) {
    try {
      return await action();
    } catch (error) {
      if (!BUSY.test(messageOf(error))) throw error;
      if (tries === 0) throw busy();
      await delay(BUSY_MS);
    }
  }
}

/** @param {string} program @param {string[]} args @returns {Promise<string>} */
async function output(program, args) {
  try {
    return (await run(program, args)).stdout.trim();
  } catch (cause) {
    throw new PitvError('PITV_UPDATE_FAILED', messageOf(cause).trim().replaceAll('\n', ' '), {
      cause,
    });
  }
}
