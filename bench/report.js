/** Results as text for a terminal. */

const BAR_WIDTH = 24;

/**
 * One table for each scenario, metric and size; the variants in order of their medians, with the
 * ratio to the reference variant.
 * @param {import('./run.js').Results} results
 * @param {import('./index.js').Scenario[]} scenarios that were run
 * @returns {string}
 */
export function formatResults(results, scenarios) {
  const lines = [];
  for (const scenario of scenarios) {
    lines.push('', `${scenario.name}: ${scenario.title}`);
    const rows = results.rows.filter((row) => row.scenario === scenario.name);
    for (const [title, group] of groupBy(rows, titleOf)) {
      lines.push('', `  ${title}`, ...table(group, scenario.reference));
    }
  }
  if (results.notes.length > 0) lines.push('', ...results.notes.map((note) => `  note: ${note}`));
  const failures = groupBy(results.failures, ({ scenario, configuration, message }) => {
    return `  failed: ${scenario} ${describe(configuration)}: ${message}`;
  });
  if (failures.size > 0) lines.push('');
  for (const [text, { length }] of failures)
    lines.push(length > 1 ? `${text} (${length} times)` : text);
  const { runs, seed } = results.method;
  const { node, arch, cores, cpu } = results.machine;
  lines.push(
    '',
    `  ${runs} runs of each, medians; order seed ${seed}; Node ${node} ${arch}, ${cores} cores, ${cpu ?? 'unknown CPU'}`,
  );
  if (!results.complete) lines.push('  Cut short: these are the runs that were done.');
  return lines.join('\n') + '\n';
}

/** @param {import('./run.js').Row} row what its table is about */
function titleOf({ metric, unit, engine, level, workers, n }) {
  const parts = [`${metric} [${unit}]`];
  if (n !== null) parts.push(`n = ${n.toLocaleString('en')}`);
  if (workers !== null) parts.push(`${workers} workers`);
  if (engine !== null) parts.push(engine);
  if (level !== null) parts.push(level);
  return parts.join(', ');
}

/** @param {import('./index.js').Configuration} configuration */
export function describe({ variant, engine, level, workers, n }) {
  const parts = [variant, engine, level, workers && `${workers} workers`, n && `n = ${n}`];
  return parts.filter(Boolean).join(', ');
}

/** @param {import('./run.js').Row[]} rows @param {string} [reference] */
function table(rows, reference) {
  const base = rows.find((row) => row.variant === reference)?.median;
  const most = Math.max(...rows.map((row) => row.median));
  const width = Math.max(...rows.map((row) => row.variant.length));
  return rows
    .toSorted((a, b) => a.median - b.median)
    .map(({ variant, median }) => {
      const ratio = base ? `${(median / base).toFixed(2)} x`.padStart(10) : '';
      const bar = '█'.repeat(Math.max(1, Math.round((BAR_WIDTH * median) / most)));
      return `    ${variant.padEnd(width)} ${digits(median).padStart(9)}${ratio}  ${bar}`;
    });
}

/** Three or more significant digits, no exponent. @param {number} value */
function digits(value) {
  if (value === 0) return '0';
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 6));
}

/** @template T @param {T[]} items @param {(item: T) => string} key @returns {Map<string, T[]>} */
function groupBy(items, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
}
