/** Reads the state of the board: model, temperature, power, Wi-Fi, memory. A machine may lack any of it. */
import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasHidden } from '../errors/visible-text.js';

const run = promisify(execFile);
const COMMAND_MS = 2000;
/** Of a Wi-Fi's name. */
const MAX_NAME_BYTES = 32;

/**
 * Bits of get_throttled of Raspberry Pi's firmware, from bit 0 on: the current state. 16 bits higher: since the start.
 * https://www.raspberrypi.com/documentation/computers/os.html#get_throttled
 */
const THROTTLED = Object.freeze(['underVoltage', 'frequencyCapped', 'throttled', 'tooHot']);
const SINCE_START = 16;

/** @typedef {{now: boolean, sinceStart: boolean | null}} Flag sinceStart null: not known */

/** Reads a small file. @param {string} path @returns {Promise<string | undefined>} undefined: it cannot be read */
const text = (path) =>
  readFile(path, 'utf8').then(
    (content) => content.replace(/\0/g, '').trim(),
    () => undefined,
  );
/** @param {string} path */
const names = (path) => readdir(path).catch(() => /** @type {string[]} */ ([]));
/** Runs a command. @param {string} command @param {string[]} args @returns {Promise<string | undefined>} its stdout */
const output = (command, args) =>
  run(command, args, { timeout: COMMAND_MS, maxBuffer: 1 << 20 }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );

/**
 * Reads the processor's temperature.
 * @param {string} [root] for tests: stands before each path
 * @returns {Promise<number | undefined>} °C; undefined: no sensor
 */
export async function temperature(root = '') {
  const zones = join(root, '/sys/class/thermal');
  for (const name of (await names(zones)).sort()) {
    if (!name.startsWith('thermal_zone')) continue;
    const type = await text(join(zones, name, 'type'));
    const millidegrees = Number(await text(join(zones, name, 'temp')));
    if (/cpu|soc|x86_pkg/i.test(type ?? '') && millidegrees > 0) return millidegrees / 1000;
  }
  return undefined;
}

/** Decodes the bits of get_throttled. @param {number} bits @returns {Record<string, Flag>} */
function powerFlags(bits) {
  const is = (/** @type {number} */ bit) => ((bits >> bit) & 1) === 1;
  return Object.fromEntries(
    THROTTLED.map((name, bit) => [name, { now: is(bit), sinceStart: is(bit + SINCE_START) }]),
  );
}

/** Encodes flags as get_throttled does. @param {Record<string, Flag>} flags @returns {number} bits */
export const throttledBits = (flags) =>
  THROTTLED.reduce((bits, name, bit) => {
    const { now = false, sinceStart = false } = flags[name] ?? {};
    return bits | (Number(now) << bit) | (Number(sinceStart) << (bit + SINCE_START));
  }, 0);

/**
 * Reads the power flags from the kernel's files: those of Raspberry Pi's kernels, or the sensor of all other kernels.
 * @param {string} [root] see temperature()
 * @returns {Promise<Record<string, Flag> | undefined>} undefined: not known
 */
export async function powerFromFiles(root = '') {
  const hex = await text(join(root, '/sys/devices/platform/soc/soc:firmware/get_throttled'));
  if (hex && /^[0-9a-f]{1,8}$/i.test(hex)) return powerFlags(parseInt(hex, 16));
  const sensors = join(root, '/sys/class/hwmon');
  for (const name of await names(sensors)) {
    if ((await text(join(sensors, name, 'name'))) !== 'rpi_volt') continue;
    const alarm = await text(join(sensors, name, 'in0_lcrit_alarm'));
    if (alarm) return { underVoltage: { now: alarm === '1', sinceStart: null } };
  }
  return undefined;
}

/** Reads the power flags from files, else from the firmware's tool. */
export async function power() {
  const flags = await powerFromFiles();
  if (flags) return flags;
  const text = await output('vcgencmd', ['get_throttled']);
  const bits = /throttled=0x([0-9a-f]+)/i.exec(text ?? '')?.[1];
  return bits ? powerFlags(parseInt(bits, 16)) : undefined;
}

/** @typedef {{interface: string, network?: string, signalDbm?: number}} Wifi */

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a name as iw prints it: other bytes than printable ASCII are `\xNN`.
 * @param {string} printed
 * @returns {string} empty: not UTF-8, or with characters that nobody sees, and therefore not possible to enter
 */
export function decodeName(printed) {
  const escaped = printed.replace(/\\x([0-9a-f]{2})/g, (_all, hex) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  const bytes = Buffer.from(escaped, 'latin1');
  try {
    const name = bytes.length > MAX_NAME_BYTES ? '' : decoder.decode(bytes);
    return hasHidden(name) ? '' : name;
  } catch {
    return '';
  }
}

/** Parses the output of `iw dev NAME link`. @param {string} link */
export function parseIwLink(link) {
  const signal = /signal: (-?\d+) dBm/.exec(link)?.[1];
  const name = /^[ \t]*SSID: (.+)$/m.exec(link)?.[1];
  return {
    network: name && (decodeName(name) || name),
    signalDbm: signal === undefined ? undefined : Number(signal),
  };
}

/** Lists the wireless interfaces. @param {string} [root] see temperature() @returns {Promise<Wifi[]>} */
export async function wifi(root = '') {
  const found = [];
  const interfaces = join(root, '/sys/class/net');
  for (const name of (await names(interfaces)).sort()) {
    const inside = await names(join(interfaces, name));
    if (!inside.includes('phy80211') && !inside.includes('wireless')) continue;
    const link = root === '' ? await output('iw', ['dev', name, 'link']) : undefined;
    found.push({ interface: name, ...parseIwLink(link ?? '') });
  }
  return found;
}

/** Reads the memory of the machine. @param {string} [root] see temperature() */
export async function memory(root = '') {
  const meminfo = (await text(join(root, '/proc/meminfo'))) ?? '';
  /** @param {string} name @returns {number | undefined} bytes */
  const bytes = (name) => {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1];
    return kib === undefined ? undefined : Number(kib) * 1024;
  };
  return {
    bytes: bytes('MemTotal'),
    availableBytes: bytes('MemAvailable'),
    swapBytes: bytes('SwapTotal'),
    swapFreeBytes: bytes('SwapFree'),
  };
}

/**
 * Reads the model, and what the card is made of.
 * @param {string} [root] see temperature()
 * @returns {Promise<{model?: string, board?: string, system?: string, suites?: {suite: string, date: string}[]}>}
 *   board: the card's; suites: of Debian, with the dates of their lists
 */
export async function identity(root = '') {
  const [model, release, board, suites] = await Promise.all([
    text(join(root, '/proc/device-tree/model')),
    text(join(root, '/etc/os-release')),
    text(join(root, '/usr/lib/pitv-image/board')),
    text(join(root, '/usr/lib/pitv-image/suites')),
  ]);
  return {
    model,
    board,
    system: /^PRETTY_NAME="?(.*?)"?$/m.exec(release ?? '')?.[1],
    suites: suites?.split('\n').map((line) => {
      const [suite, date = ''] = line.split('\t');
      return { suite, date };
    }),
  };
}

/** Reads the end of the machine's journal since boot, undefined if it cannot be read. @param {number} lines */
export async function journal(lines) {
  const format = ['--no-pager', '--quiet', '--output=short-iso', `--lines=${lines}`];
  return output('journalctl', ['--boot', ...format]);
}
