import { text as textOf } from '../lib/language.js';
import { duration, size } from './view.js';

/** Turns the facts of GET /api/system into the texts of the System tab. */

/** Grades of Wi-Fi signals, from this strength upwards, dBm. */
const SIGNALS = Object.freeze([
  { from: -60, text: textOf('wifi.strong') },
  { from: -70, text: textOf('wifi.fair') },
  { from: -80, text: textOf('wifi.weak') },
  { from: -Infinity, text: textOf('wifi.veryWeak') },
]);

/**
 * @typedef {Awaited<ReturnType<import('../../system/index.js').System['facts']>> & {volume: number}} Facts volume: of
 *   the screens, percent
 * @typedef {Facts['processes'][number]} Process
 */

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
 * @returns {[text: string, level: 'good' | 'fair' | 'bad' | '']}
 */
export function powerText(power) {
  if (!power) return [textOf('fact.unknown'), ''];
  const textsOf = (/** @type {keyof import('../../system/board.js').Flag} */ when) =>
    Object.keys(power)
      .filter((name) => power[name][when])
      .map((name) => textOf(/** @type {import('../lib/language.js').TextKey} */ (`power.${name}`)))
      .join('. ');
  if (textsOf('now')) return [`${textsOf('now')}.`, 'bad'];
  const flags = textsOf('sinceStart');
  if (flags) return [textOf('power.before', { flags }), 'fair'];
  return [textOf('power.fine'), 'good'];
}

/**
 * Says from which suites of Debian the card's packages are, how old they are, and how to get newer ones.
 * @param {NonNullable<Facts['suites']>} suites @param {Facts} facts @returns {[text: string, level: string]}
 */
function packagesText(suites, { packages, update }) {
  const isSecure = suites.some(({ suite }) => suite.endsWith('-security'));
  const names = suites.map(({ suite, date }) => `${suite} ${date}`).join(' · ');
  const texts = [isSecure ? names : textOf('fact.packages.insecure', { suites: names })];
  if (packages) texts.push(textOf('fact.packages.age', { count: packages.days }));
  if (packages?.isDue) texts.push(textOf(update ? 'fact.packages.bundle' : 'fact.packages.flash'));
  return [texts.join('. '), isSecure ? (packages?.isDue ? 'fair' : '') : 'bad'];
}

/**
 * Says until when this Node.js gets security corrections.
 * @param {NonNullable<Facts['node']>} node @returns {[text: string, level: string]}
 */
function nodeText({ line, end, hasEnded, isDebians }) {
  if (!hasEnded) return [textOf('fact.node.until', { line, end }), ''];
  if (isDebians) return [textOf('fact.node.debian', { line, end }), ''];
  return [textOf('fact.node.ended', { line, end }), 'bad'];
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

/** @param {string} name @param {string} text @param {string} [level] */
const row = (name, text, level = '') => ({ name, text, level });

/** Returns the rows of the table of facts. @param {Facts} facts */
export function factRows(facts) {
  const { memory, disk, versions, ksm, celsius } = facts;
  const software = `pitv ${versions.pitv} · Node.js ${versions.node} · Linux ${versions.kernel} ${versions.arch}`;
  const unreclaimable = size(totalBytes(facts.processes, 'unreclaimableKib'));
  const pss = size(totalBytes(facts.processes, 'pssKib'));
  const card = facts.board && textOf('fact.card', { board: facts.board });
  const about = [facts.name, facts.model, card, facts.system].filter(Boolean).join(' · ');
  const up = { duration: duration(facts.uptimeS), load: facts.load[0].toFixed(2) };
  const ram = { available: size(memory.availableBytes), all: size(memory.bytes) };
  const isHot = celsius !== undefined && celsius >= 80;
  const temperature = celsius === undefined ? textOf('fact.unknown') : `${celsius.toFixed(1)} °C`;
  const rows = [
    row(textOf('fact.addresses'), facts.urls.join('  ')),
    row(textOf('fact.machine'), about),
    row(textOf('fact.versions'), software),
    row(textOf('fact.up'), textOf('fact.up.text', { ...up, count: facts.cpus })),
    row(textOf('fact.wifi'), facts.wifi.map(wifiText).join(' · ') || textOf('admin.none')),
    row(textOf('fact.temperature'), temperature, isHot ? 'bad' : ''),
    row(textOf('fact.power'), ...powerText(facts.power)),
    row(textOf('fact.memory'), textOf('fact.memory.text', { ...ram, unreclaimable, pss })),
  ];
  if (facts.node) rows.push(row('Node.js', ...nodeText(facts.node)));
  if (facts.suites) rows.push(row(textOf('fact.packages'), ...packagesText(facts.suites, facts)));
  if (memory.swapBytes) {
    const used = size(memory.swapBytes - (memory.swapFreeBytes ?? 0));
    rows.push(row(textOf('fact.swap'), textOf('fact.used', { used, all: size(memory.swapBytes) })));
  }
  if (ksm) {
    const saved = { level: ksm.level, size: size(ksm.savedBytes) };
    const text = textOf(ksm.scanning ? 'fact.ksm.scanning' : 'fact.ksm.idle', saved);
    rows.push(row('KSM', text));
  }
  if (disk) {
    const used = size(disk.bytes - disk.freeBytes);
    const sizes = { used, all: size(disk.bytes), free: size(disk.freeBytes) };
    rows.push(row(textOf('fact.disk'), textOf('fact.disk.text', sizes)));
  }
  if (facts.writtenBytes > 0) {
    rows.push(
      row(textOf('fact.written'), textOf('fact.written.text', { size: size(facts.writtenBytes) })),
    );
  }
  return rows;
}

/** Bytes of a page on all boards. */
const PAGE_BYTES = 4096;

/**
 * Returns the table of processes: a row for each, and one for all. It has merged pages only if memory is merged here.
 * @param {Facts} facts
 * @returns {{columns: import('./widgets.js').Column<Process[]>[], items: Process[][]}}
 */
export function processTable({ processes }) {
  const isMerged = processes.some(({ ksmPages }) => ksmPages !== null);
  /** @type {import('./widgets.js').Column<Process[]>[]} */
  const columns = [
    [textOf('column.process'), (row) => (row === processes ? textOf('fact.tv') : nameOf(row[0]))],
    [textOf('column.unreclaimable'), (row) => size(totalBytes(row, 'unreclaimableKib'))],
    ['PSS', (row) => size(totalBytes(row, 'pssKib'))],
    [
      textOf('column.merged'),
      (row) => (row === processes ? '' : size(row[0].ksmPages && row[0].ksmPages * PAGE_BYTES)),
    ],
    ['pid', (row) => (row === processes ? '' : row[0].pid)],
  ];
  return {
    columns: columns.filter((_, i) => isMerged || i !== 3),
    items: [...processes.map((process) => [process]), processes],
  };
}

/** Names a process. @param {Process} process */
function nameOf({ name, game, command }) {
  if (name === 'other') return command;
  return game === null ? name : `${name} ${game}`;
}
