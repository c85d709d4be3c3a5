import { duration } from './view.js';

/** From what /api/system reports to what the System tab says. */

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** What a Wi-Fi signal is worth, dBm: from here up. */
const SIGNALS = Object.freeze([
  { from: -60, text: 'strong' },
  { from: -70, text: 'fair' },
  { from: -80, text: 'weak' },
  { from: -Infinity, text: 'very weak' },
]);

/** @type {Readonly<Record<string, string>>} */
const POWER_TEXTS = Object.freeze({
  underVoltage: 'The power supply is too weak',
  frequencyCapped: 'The processor is held back',
  throttled: 'The processor is throttled',
  tooHot: 'It is too hot',
});

/**
 * @typedef {{now: boolean, sinceStart: boolean | null}} Flag
 * @typedef {{name: string, pid: number, game: string | null, pssKib: number | null, ksmPages: number | null}} Process
 *
 * @typedef {object} Facts
 * @property {string} name
 * @property {string} [model] @property {string} [board] @property {string} [system]
 * @property {{pitv: string, node: string, kernel: string, arch: string}} versions
 * @property {number} uptimeS
 * @property {number} cpus
 * @property {number[]} load
 * @property {string[]} urls
 * @property {string[]} problems
 * @property {{interface: string, network?: string, signalDbm?: number}[]} wifi
 * @property {number} [celsius]
 * @property {Record<string, Flag>} [power]
 * @property {{bytes?: number, availableBytes?: number, swapBytes?: number, swapFreeBytes?: number}} memory
 * @property {{bytes: number, freeBytes: number}} [disk]
 * @property {number} writtenBytes
 * @property {Process[]} processes
 * @property {{level: string, scanning: boolean, savedBytes: number}} [ksm]
 * @property {{running: boolean, startedAt: number | null, lines: string[], failure: string | null, reportAt: number | null}} paper
 * @property {boolean} canSwitchOff
 */

/** @param {number | null | undefined} bytes @returns {string} */
export function size(bytes) {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return '–';
  if (bytes >= GIB) return `${(bytes / GIB).toFixed(1)} GiB`;
  return `${(bytes / MIB).toFixed(bytes < 100 * MIB ? 1 : 0)} MiB`;
}

/** @param {Facts['wifi'][number]} wifi @returns {string} */
export function wifiText({ interface: name, network, signalDbm }) {
  if (network === undefined && signalDbm === undefined) return `${name}: not connected`;
  const grade = SIGNALS.find(({ from }) => Number(signalDbm) >= from)?.text;
  const signal = signalDbm === undefined ? '' : `, ${signalDbm} dBm (${grade})`;
  return `${network ?? name}${signal}`;
}

/** @param {Facts['power']} power @returns {{text: string, level: 'good' | 'fair' | 'bad' | ''}} */
export function powerText(power) {
  if (!power) return { text: 'not known on this machine', level: '' };
  const flags = Object.entries(power);
  const now = flags.filter(([, flag]) => flag.now).map(([name]) => POWER_TEXTS[name] ?? name);
  if (now.length > 0) return { text: `${now.join('. ')}.`, level: 'bad' };
  const before = flags
    .filter(([, flag]) => flag.sinceStart)
    .map(([name]) => POWER_TEXTS[name] ?? name);
  if (before.length > 0)
    return { text: `Fine now; since the start: ${before.join('. ')}.`, level: 'fair' };
  return { text: 'fine', level: 'good' };
}

/**
 * @param {Facts} facts
 * @returns {{name: string, text: string, level?: string}[]} the table of what is known, row by row
 */
export function factRows(facts) {
  const { memory, disk, versions, ksm } = facts;
  const pss = facts.processes.reduce((sum, { pssKib }) => sum + (pssKib ?? 0), 0) * 1024;
  const power = powerText(facts.power);
  const about = [facts.model, facts.board && `card for ${facts.board}`, facts.system];
  const rows = [
    { name: 'Addresses', text: facts.urls.join('  ') },
    { name: 'Machine', text: [facts.name, ...about].filter(Boolean).join(' · ') },
    {
      name: 'Versions',
      text: `pitv ${versions.pitv} · Node.js ${versions.node} · Linux ${versions.kernel} ${versions.arch}`,
    },
    {
      name: 'Up',
      text: `${duration(facts.uptimeS)}, load ${facts.load[0].toFixed(2)} on ${facts.cpus} ${facts.cpus === 1 ? 'core' : 'cores'}`,
    },
    { name: 'Wi-Fi', text: facts.wifi.map(wifiText).join(' · ') || 'none' },
    {
      name: 'Temperature',
      text: facts.celsius === undefined ? 'not known' : `${facts.celsius.toFixed(1)} °C`,
      level: facts.celsius !== undefined && facts.celsius >= 80 ? 'bad' : '',
    },
    { name: 'Power', text: power.text, level: power.level },
    {
      name: 'Memory',
      text: `${size(memory.availableBytes)} of ${size(memory.bytes)} available; the whole TV ${size(pss)} (PSS)`,
    },
  ];
  if (memory.swapBytes) {
    const used = memory.swapBytes - (memory.swapFreeBytes ?? 0);
    rows.push({ name: 'Swap', text: `${size(used)} of ${size(memory.swapBytes)} used` });
  }
  if (ksm) {
    const scanning = ksm.scanning ? 'scanning' : 'at rest';
    rows.push({
      name: 'KSM',
      text: `level ${ksm.level}, ${scanning}, saves ${size(ksm.savedBytes)}`,
    });
  }
  if (disk) {
    const used = size(disk.bytes - disk.freeBytes);
    rows.push({
      name: 'Disk',
      text: `${used} of ${size(disk.bytes)} used, ${size(disk.freeBytes)} free`,
    });
  }
  if (facts.writtenBytes > 0) {
    rows.push({
      name: 'Written',
      text: `${size(facts.writtenBytes)} of checkpoints since the start`,
    });
  }
  return rows;
}

export const PROCESS_COLUMNS = Object.freeze(['Process', 'Game', 'pid', 'PSS', 'Merged']);

/** @param {Facts} facts @returns {string[][]} */
export function processRows({ processes }) {
  const page = 4096; // all of pitv's boards have pages of 4 KiB
  return processes.map(({ name, game, pid, pssKib, ksmPages }) => [
    name,
    game ?? '',
    String(pid),
    size(pssKib === null ? null : pssKib * 1024),
    size(ksmPages === null ? null : ksmPages * page),
  ]);
}
