/** Gathers the state of KSM on this machine, for programs (an object) and for people (text), and formats the log. */
import { tryNative } from './native.js';
import { mergeableProcesses } from './processes.js';
import { balance, findKsmd, ksmdCpuMs, readCounters, readSettings } from './sysfs.js';
import { alignColumns } from './table.js';

/**
 * Gathers the state. pssWithoutKib is the estimated PSS without merging, from the average number of sharers of a merged
 * page.
 * @param {string} sysfs
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED
 */
export function gatherStatus(sysfs) {
  const pageBytes = tryNative()?.pageBytes ?? 4096;
  const settings = readSettings(sysfs);
  const counters = readCounters(sysfs);
  const ksmd = findKsmd();
  const { pages_shared: shared, pages_sharing: sharing } = counters;
  const savedShare = shared + sharing > 0 ? sharing / (shared + sharing) : 0;
  const processes = mergeableProcesses().map(({ zeroPages, mergeable: _marked, ...figures }) => {
    const { pssKib, mergingPages } = figures;
    const pages = (mergingPages ?? 0) * savedShare + (zeroPages ?? 0);
    const pssWithoutKib = pssKib === undefined ? undefined : pssKib + (pages * pageBytes) / 1024;
    return { ...figures, pssWithoutKib };
  });
  return {
    settings,
    counters,
    balance: balance(counters, { pageBytes }),
    ksmdCpuMs: ksmd === undefined ? undefined : ksmdCpuMs(ksmd),
    processes: processes.sort((p, q) => p.pid - q.pid),
  };
}

/** Formats a size in MiB. @param {number | undefined} kib */
const mib = (kib) => (kib === undefined ? '-' : (kib / 1024).toFixed(1));
/** @param {number | undefined} value */
const figure = (value) => (value === undefined ? '-' : String(value));

const HEAD = ['PID', 'NAME', 'PSS', 'WITHOUT', 'ANON', 'MERGED', 'PAGES', 'TRACKED', 'PROFIT'];
/** The columns that are summed up, and their formats. */
const SUMMED = /** @type {const} */ ([
  ['pssKib', mib],
  ['pssWithoutKib', mib],
  ['anonKib', mib],
  ['ksmKib', mib],
  ['mergingPages', figure],
  ['rmapItems', figure],
]);

/** Formats the state as text, with memory in MiB. @param {ReturnType<typeof gatherStatus>} status */
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
      ...SUMMED.map(([key, format]) => format(p[key])),
      p.profitBytes === undefined ? '-' : mib(p.profitBytes / 1024),
    ]);
    const sums = SUMMED.map(([key, format]) =>
      format(processes.reduce((total, p) => total + (p[key] ?? 0), 0)),
    );
    lines.push(
      ...alignColumns([HEAD, ...rows, ['', 'total', ...sums, '']], (column) => column >= 2),
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

const MEMORY = Object.freeze({
  savedBytes: 'saved',
  metadataBytes: 'metadata',
  profitBytes: 'profit',
});

/** Formats an entry. @param {import('./controller.js').LogEntry} entry @param {Date} [at] */
export function formatEntry({ message, figures }, at = new Date()) {
  const facts = [];
  for (const [name, word] of Object.entries(MEMORY)) {
    if (name in figures) facts.push(`${word} ${mib(Number(figures[name]) / 1024)} MiB`);
  }
  const { mergeable, ratio, ratioBound, ksmdCpuMs, pressed } = figures;
  if (mergeable !== undefined) facts.push(`${mergeable} marked`);
  // The ratio is Infinity while nothing is merged.
  if (Number.isFinite(ratio)) {
    facts.push(`${Number(ratio).toFixed(1)} of at most ${ratioBound} pages tracked for one merged`);
  }
  if (ksmdCpuMs !== undefined) facts.push(`ksmd ${(Number(ksmdCpuMs) / 1000).toFixed(1)} s`);
  if (pressed === true) facts.push('memory is short');
  for (const name of ['found', 'written', 'restored', 'left', 'changes']) {
    const list = listed(figures[name]);
    if (list) facts.push(`${name} ${list}`);
  }
  return `${at.toISOString()} ${message}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

/** @param {unknown} value settings, names of settings, or foreign changes @returns {string} */
function listed(value) {
  if (Array.isArray(value)) {
    return value
      .map((one) => (one.name ? `${one.name}=${one.present} instead of ${one.expected}` : one))
      .join(' ');
  }
  return Object.entries(Object(value))
    .map(([name, setting]) => `${name}=${setting}`)
    .join(' ');
}
