/** Prepares the plots of the paper's experiments: its figures with our measurements. */
import { ENGINES } from '../../../app/engine/index.js';
import { PAPER, savings } from '../paper.js';
import { ksmSavings } from '../paper-table.js';
import { intervalText, markOf } from '../published/declared.js';
import { groupBy, labelOf } from '../text.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {import('../results.js').Row} Row
 * @typedef {{plot: import('../plot.js').Plot, caption: string}} Figure
 */

/** Levels of KSM. */
const LEVELS = ['mark', 'seeds', 'identical'];

/** @param {number} workers */
const games = (workers) => `${workers} ${workers === 1 ? 'game' : 'games'}`;

/** @param {Row} row */
const toneOf = ({ engine, level }) => {
  if (level && LEVELS.includes(level)) return level;
  return engine && ENGINES.includes(engine) ? engine : 'other';
};

/** @param {Row[]} rows */
const captionOf = (rows) =>
  `Samples, median and ${intervalText(rows.map(({ samples }) => samples.length))}.`;

/**
 * Prepares the plots.
 * @param {Results} results
 * @returns {Figure[]} those whose scenarios were measured
 */
export function paperPlots(results) {
  return [
    creation(results),
    measured(results, 'memory', 'pss', 'Figure 3, memory: PSS of all Node processes', 1 / 1024),
    saved(results, 'memory', 'pss', 'memory', PAPER.threadMemorySaving),
    measured(
      results,
      'runtime',
      'total',
      'Figure 3, run time: until all games have done their pass',
    ),
    saved(results, 'runtime', 'total', 'run time', PAPER.threadTimeSaving),
    savings4(results),
  ].filter((figure) => figure !== undefined);
}

/** @param {Results} results @param {string} scenario @param {string} metric */
const rowsOf = ({ rows }, scenario, metric) =>
  rows.filter((row) => row.scenario === scenario && row.metric === metric);

/** Prepares the times of section 4.1. @param {Results} results @returns {Figure | undefined} */
function creation(results) {
  const rows = rowsOf(results, 'startup', 'ready');
  if (rows.length === 0) return undefined;
  const then = Object.entries({ process: PAPER.processMs, thread: PAPER.threadMs });
  const marks = [
    ...then.map(([engine, value]) => ({
      label: `paper: ${engine}`,
      tone: engine,
      value,
      samples: [],
    })),
    ...rows.map((row) => markOf(row, { label: labelOf(row), tone: toneOf(row) })),
  ];
  const title = 'Section 4.1: creation of a worker, until it is ready';
  return {
    plot: { title, unit: 'ms', logarithmic: true, groups: [{ title: '', marks }] },
    caption: `${captionOf(rows)} The paper measured a thread until its constructor returned.`,
  };
}

/**
 * Prepares a metric by number of games.
 * @param {Results} results @param {string} scenario @param {string} metric
 * @param {string} title @param {number} [scale] of KiB
 * @returns {Figure | undefined}
 */
function measured(results, scenario, metric, title, scale = 1) {
  const rows = rowsOf(results, scenario, metric);
  if (rows.length === 0) return undefined;
  const groups = [...groupBy(rows, ({ workers }) => games(Number(workers)))].map(
    ([name, some]) => ({
      title: name,
      marks: some.map((row) =>
        markOf(row, { label: labelOf({ ...row, workers: null }), tone: toneOf(row), scale }),
      ),
    }),
  );
  const unit = scale === 1 ? rows[0].unit : 'MiB';
  return { plot: { title, unit, groups }, caption: captionOf(rows) };
}

/**
 * Prepares savings against a reference, beside the paper's range.
 * @param {string} title @param {{tone: string, found: import('../paper.js').Saving[]}[]} lines
 * @param {readonly number[]} range percent @param {string} of what the paper's range is
 * @returns {Figure | undefined}
 */
function savingsPlot(title, lines, [low, high], of) {
  const all = lines
    .flatMap(({ tone, found }) => found.map((one) => ({ ...one, tone })))
    .toSorted((one, other) => one.workers - other.workers);
  if (all.length === 0) return undefined;
  const groups = [...groupBy(all, ({ workers }) => games(workers))].map(([name, some]) => ({
    title: name,
    marks: some.map(({ tone, percent, ci95 }) => ({
      label: tone,
      tone,
      value: percent,
      interval: ci95,
      samples: [percent],
    })),
  }));
  return {
    plot: {
      title,
      unit: '% less',
      groups,
      band: { low, high },
      notes: [`Grey: ${low} to ${high} %, the range in the paper.`],
    },
    caption: `Ratios of medians with their intervals. The paper’s text states a range and no single values (${PAPER.machine}; ${of}).`,
  };
}

/**
 * @param {Results} results @param {string} scenario @param {string} metric @param {string} what
 * @param {readonly number[]} range percent
 */
function saved(results, scenario, metric, what, range) {
  const lines = ['thread', 'zygote'].map((engine) => ({
    tone: engine,
    found: savings(results, scenario, metric, ({ variant }) => variant === engine, labelOf),
  }));
  return savingsPlot(`Figure 3, ${what}: saved against processes`, lines, range, 'threads');
}

/** @param {Results} results */
const savings4 = (results) =>
  savingsPlot(
    'Figure 4: savings of KSM, total PSS',
    LEVELS.map((level) => ({ tone: level, found: ksmSavings(results, level) })),
    PAPER.ksmSaving,
    'level mark',
  );
