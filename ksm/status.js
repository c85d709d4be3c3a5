/** Gathers the state of KSM on this machine, for programs (an object) and for people (text). */
import { tryNative } from './native.js';
import { mergeableProcesses } from './processes.js';
import { SYSFS, balance, findKsmd, ksmdCpuMs, readCounters, readSettings } from './sysfs.js';
import { mib, table } from './table.js';

/**
 * @typedef {object} ProcessStatus
 * @property {number} pid @property {string} name
 * @property {number | undefined} pssKib @property {number | undefined} pssWithoutKib estimated PSS without merging,
 *   from the average number of sharers of a merged page
 * @property {number | undefined} anonKib @property {number | undefined} ksmKib
 * @property {number | undefined} mergingPages @property {number | undefined} rmapItems
 * @property {number | undefined} profitBytes
 *
 * @typedef {object} Status
 * @property {import('./sysfs.js').Settings} settings
 * @property {import('./sysfs.js').Counters} counters
 * @property {import('./sysfs.js').Balance} balance
 * @property {number | undefined} ksmdCpuMs since boot
 * @property {ProcessStatus[]} processes
 */

/**
 * Gathers the state.
 * @param {{sysfs?: string, proc?: string}} [paths]
 * @returns {Status}
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED
 */
export function gatherStatus({ sysfs = SYSFS, proc = '/proc' } = {}) {
  const pageBytes = tryNative()?.pageBytes ?? 4096;
  const settings = readSettings(sysfs);
  const counters = readCounters(sysfs);
  const ksmd = findKsmd(proc);
  const { pages_shared: shared, pages_sharing: sharing } = counters;
  const savedShare = shared + sharing > 0 ? sharing / (shared + sharing) : 0;
  const processes = mergeableProcesses(proc).map((figures) => {
    const { pid, name, pssKib, anonKib, ksmKib, mergingPages, rmapItems, profitBytes } = figures;
    const pages = (mergingPages ?? 0) * savedShare + (figures.zeroPages ?? 0);
    const pssWithoutKib = pssKib === undefined ? undefined : pssKib + (pages * pageBytes) / 1024;
    return {
      pid,
      name,
      pssKib,
      pssWithoutKib,
      anonKib,
      ksmKib,
      mergingPages,
      rmapItems,
      profitBytes,
    };
  });
  return {
    settings,
    counters,
    balance: balance(counters, { pageBytes }),
    ksmdCpuMs: ksmd === undefined ? undefined : ksmdCpuMs(ksmd, proc),
    processes: processes.sort((p, q) => p.pid - q.pid),
  };
}

const HEAD = ['PID', 'NAME', 'PSS', 'WITHOUT', 'ANON', 'MERGED', 'PAGES', 'TRACKED', 'PROFIT'];

/** @param {number | undefined} value */
const figure = (value) => (value === undefined ? '-' : String(value));

/**
 * Formats the state as text, with memory in MiB.
 * @param {Status} status
 * @returns {string}
 */
export function formatStatus({ settings, counters, balance: worth, ksmdCpuMs: cpuMs, processes }) {
  const scanning = settings.run === '1';
  const lines = [
    scanning
      ? `ksmd is scanning, ${settings.pages_to_scan} pages every ${settings.sleep_millisecs} ms.`
      : 'ksmd is not scanning.',
    '',
  ];
  if (processes.length === 0) {
    lines.push('No process that this user may inspect is marked for KSM.');
  } else {
    const rows = processes.map((p) => [
      String(p.pid),
      p.name,
      mib(p.pssKib),
      mib(p.pssWithoutKib),
      mib(p.anonKib),
      mib(p.ksmKib),
      figure(p.mergingPages),
      figure(p.rmapItems),
      p.profitBytes === undefined ? '-' : mib(p.profitBytes / 1024),
    ]);
    /** @param {'pssKib' | 'pssWithoutKib' | 'anonKib' | 'ksmKib' | 'mergingPages' | 'rmapItems'} key */
    const sum = (key) => processes.reduce((total, p) => total + (p[key] ?? 0), 0);
    const totals = [
      '',
      'total',
      mib(sum('pssKib')),
      mib(sum('pssWithoutKib')),
      mib(sum('anonKib')),
    ];
    totals.push(mib(sum('ksmKib')), String(sum('mergingPages')), String(sum('rmapItems')), '');
    lines.push(
      table(HEAD, [...rows, totals], 2),
      '(memory in MiB; PAGES: merged; TRACKED: by ksmd)',
    );
  }
  const cpu = cpuMs === undefined ? 'unknown' : `${(cpuMs / 1000).toFixed(1)} s`;
  lines.push(
    '',
    `saved ${mib(worth.savedBytes / 1024)} MiB, metadata ${mib(worth.metadataBytes / 1024)} MiB, ` +
      `profit ${mib(worth.profitBytes / 1024)} MiB`,
    `ksmd: ${cpu} of CPU time since boot, ${counters.full_scans} whole passes`,
  );
  return lines.join('\n');
}
