/** Writes every sample as a line of CSV (RFC 4180), for a spreadsheet or R. */

const COLUMNS = /** @type {const} */ ([
  'scenario',
  'variant',
  'node',
  'engine',
  'level',
  'workers',
  'n',
  'metric',
  'unit',
]);

/** @param {unknown} value */
function field(value) {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Formats results as CSV. @param {import('./results.js').Results} results @returns {string} */
export function toCsv({ rows }) {
  const lines = rows.flatMap((row) =>
    row.samples.map((value, i) => [...COLUMNS.map((name) => row[name]), row.rounds[i], value]),
  );
  return [[...COLUMNS, 'round', 'value'], ...lines]
    .map((line) => `${line.map(field).join(',')}\r\n`)
    .join('');
}
