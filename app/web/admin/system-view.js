import { text as textOf } from '../lib/language.js';
import { duration } from './view.js';

/** Turns the facts of GET /api/system into the texts of the System tab. */

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Grades of Wi-Fi signals, from this strength upwards, dBm. */
const SIGNALS = Object.freeze([
  { from: -60, text: textOf('wifi.strong') },
  { from: -70, text: textOf('wifi.fair') },
  { from: -80, text: textOf('wifi.weak') },
  { from: -Infinity, text: textOf('wifi.veryWeak') },
]);

/**
 * @typedef {Awaited<ReturnType<import('../../system/index.js').System['facts']>> & {volume: number}} Facts volume: of the
 *   screens, percent
 * @typedef {Facts['processes'][number]} Process
 */

/** Formats a size; a dash if it is not known. @param {number | null | undefined} bytes @returns {string} */
export function size(bytes) {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return '–';
  if (bytes >= GIB) return `${(bytes / GIB).toFixed(1)} GiB`;
  return `${(bytes / MIB).toFixed(bytes < 100 * MIB ? 1 : 0)} MiB`;
}

/** Describes a wireless interface. @param {Facts['wifi'][number]} wifi @returns {string} */
export function wifiText({ interface: name, network, signalDbm }) {
  if (network === undefined && signalDbm === undefined) return textOf('wifi.off', { name });
  const grade = SIGNALS.find(({ from }) => Number(signalDbm) >= from)?.text;
  const signal = signalDbm === undefined ? '' : `, ${signalDbm} dBm (${grade})`;
  return `${network ?? name}${signal}`;
}

/**
 * Describes the power flags: current ones, else those since the start.
 * @param {Facts['power']} power
 * @returns {{text: string, level: 'good' | 'fair' | 'bad' | ''}}
 */
export function powerText(power) {
  if (!power) return { text: textOf('power.unknown'), level: '' };
  const textsOf = (/** @type {keyof import('../../system/board.js').Flag} */ when) =>
    Object.keys(power)
      .filter((name) => power[name][when])
      .map((name) => textOf(/** @type {import('../lib/language.js').TextKey} */ (`power.${name}`)))
      .join('. ');
  if (textsOf('now')) return { text: `${textsOf('now')}.`, level: 'bad' };
  const flags = textsOf('sinceStart');
  if (flags) return { text: textOf('power.before', { flags }), level: 'fair' };
  return { text: textOf('power.fine'), level: 'good' };
}

/** Says from which suites of Debian the card's packages are. @param {{suite: string, date: string}[]} suites */
function suitesText(suites) {
  const text = suites.map(({ suite, date }) => `${suite} ${date}`).join(' · ');
  return suites.some(({ suite }) => suite.endsWith('-security'))
    ? { text }
    : { text: textOf('fact.packages.insecure', { suites: text }), level: 'bad' };
}

/**
 * Adds up a figure of all processes.
 * @param {Process[]} processes @param {'unreclaimableKib' | 'pssKib'} figure
 * @returns {number | null} bytes; null if it is not known of any process
 */
function totalBytes(processes, figure) {
  const known = processes.map((process) => process[figure]).filter((kib) => kib !== null);
  return known.length === 0 ? null : known.reduce((sum, kib) => sum + kib, 0) * 1024;
}

/**
 * Returns the rows of the table of facts.
 * @param {Facts} facts
 * @returns {{name: string, text: string, level?: string}[]}
 */
export function factRows(facts) {
  const { memory, disk, versions, ksm } = facts;
  const unreclaimable = totalBytes(facts.processes, 'unreclaimableKib');
  const pss = totalBytes(facts.processes, 'pssKib');
  const power = powerText(facts.power);
  const about = [
    facts.model,
    facts.board && textOf('fact.card', { board: facts.board }),
    facts.system,
  ];
  const rows = [
    { name: textOf('fact.addresses'), text: facts.urls.join('  ') },
    { name: textOf('fact.machine'), text: [facts.name, ...about].filter(Boolean).join(' · ') },
    {
      name: textOf('fact.versions'),
      text: `pitv ${versions.pitv} · Node.js ${versions.node} · Linux ${versions.kernel} ${versions.arch}`,
    },
    {
      name: textOf('fact.up'),
      text: textOf('fact.up.text', {
        duration: duration(facts.uptimeS),
        load: facts.load[0].toFixed(2),
        count: facts.cpus,
      }),
    },
    {
      name: textOf('fact.wifi'),
      text: facts.wifi.map(wifiText).join(' · ') || textOf('admin.none'),
    },
    {
      name: textOf('fact.temperature'),
      text: facts.celsius === undefined ? textOf('fact.unknown') : `${facts.celsius.toFixed(1)} °C`,
      level: facts.celsius !== undefined && facts.celsius >= 80 ? 'bad' : '',
    },
    { name: textOf('fact.power'), text: power.text, level: power.level },
    {
      name: textOf('fact.memory'),
      text: textOf('fact.memory.text', {
        available: size(memory.availableBytes),
        all: size(memory.bytes),
        unreclaimable: size(unreclaimable),
        pss: size(pss),
      }),
    },
  ];
  if (facts.suites) rows.push({ name: textOf('fact.packages'), ...suitesText(facts.suites) });
  if (memory.swapBytes) {
    const used = memory.swapBytes - (memory.swapFreeBytes ?? 0);
    const all = size(memory.swapBytes);
    rows.push({ name: textOf('fact.swap'), text: textOf('fact.used', { used: size(used), all }) });
  }
  if (ksm) {
    const key = ksm.scanning ? 'fact.ksm.scanning' : 'fact.ksm.idle';
    const text = textOf(key, { level: ksm.level, size: size(ksm.savedBytes) });
    rows.push({ name: 'KSM', text });
  }
  if (disk) {
    const used = size(disk.bytes - disk.freeBytes);
    const sizes = { used, all: size(disk.bytes), free: size(disk.freeBytes) };
    rows.push({ name: textOf('fact.disk'), text: textOf('fact.disk.text', sizes) });
  }
  if (facts.writtenBytes > 0) {
    const text = textOf('fact.written.text', { size: size(facts.writtenBytes) });
    rows.push({ name: textOf('fact.written'), text });
  }
  return rows;
}

/** Bytes of a page on all boards. */
const PAGE_BYTES = 4096;

/**
 * Returns the table of processes; its last row is their sum. It has merged pages only if memory is merged here.
 * @param {Facts} facts
 * @returns {{columns: string[], rows: string[][]}}
 */
export function processTable({ processes }) {
  const merged = processes.some(({ ksmPages }) => ksmPages !== null);
  const kib = (/** @type {number | null} */ value) => size(value === null ? null : value * 1024);
  const rows = processes.map((process) => [
    nameOf(process),
    kib(process.unreclaimableKib),
    kib(process.pssKib),
    ...(merged ? [size(process.ksmPages === null ? null : process.ksmPages * PAGE_BYTES)] : []),
    String(process.pid),
  ]);
  const sums = [totalBytes(processes, 'unreclaimableKib'), totalBytes(processes, 'pssKib')];
  return {
    columns: [
      textOf('column.process'),
      textOf('column.unreclaimable'),
      'PSS',
      ...(merged ? [textOf('column.merged')] : []),
      'pid',
    ],
    rows: [...rows, [textOf('fact.tv'), ...sums.map(size), ...(merged ? [''] : []), '']],
  };
}

/** Names a process. @param {Process} process */
function nameOf({ name, game, command }) {
  if (name === 'other') return command;
  return game === null ? name : `${name} ${game}`;
}
