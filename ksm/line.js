/** Formats an entry of the controller's log as one line. */
import { mib } from './table.js';

const MEMORY = Object.freeze({
  savedBytes: 'saved',
  metadataBytes: 'metadata',
  profitBytes: 'profit',
});

/**
 * Formats an entry.
 * @param {import('./controller.js').LogEntry} entry
 * @param {Date} [at]
 * @returns {string}
 */
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
