/** The figures of attacks: a table for the terminal, JSON for a file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../output/', import.meta.url));

/** @typedef {import('./trial.js').Figures} Figures */

/** @type {[string, (figures: Figures) => string][]} */
const COLUMNS = [
  ['attack', ({ attack }) => attack],
  ['s', ({ seconds }) => seconds.toFixed(1)],
  ['/healthz ms', ({ healthMs }) => healthMs.toFixed(0)],
  ['loop p99', ({ loopMs }) => loopMs.p99.toFixed(1)],
  ['max', ({ loopMs }) => loopMs.max.toFixed(0)],
  ['join ms', ({ joinMs }) => joinMs.toFixed(0)],
  ['ticks', ({ tickRatio }) => tickRatio.toFixed(2)],
  ['frame gap ms', ({ frameGapMs }) => frameGapMs.toFixed(0)],
  ['descriptors', ({ descriptors }) => descriptors.join(' / ')],
  ['memory MiB', ({ memoryMib }) => memoryMib.map((mib) => mib.toFixed(0)).join(' / ')],
  ['log lines', ({ logLines }) => String(logLines)],
  ['', ({ broken }) => (broken.length > 0 ? 'BROKEN' : '')],
];

/** @param {Figures[]} all @returns {string} descriptors and memory are before, peak, after */
export function formatTable(all) {
  const rows = [
    COLUMNS.map(([title]) => title),
    ...all.map((figures) => COLUMNS.map(([, cell]) => cell(figures))),
  ];
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Writes `test/output/<name>.json`. @param {string} name @param {object} content */
export function writeJson(name, content) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}${name}.json`, `${JSON.stringify(content, null, 2)}\n`);
}
