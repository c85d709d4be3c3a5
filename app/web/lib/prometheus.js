/**
 * Parses the response of GET /metrics (Prometheus exposition format 0.0.4).
 *
 * @typedef {{name: string, labels: Record<string, string>, value: number}} Sample
 */

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABELS = /\b[A-Za-z_]\w*="(?:[^"\\]|\\.)*"/g;
/** @type {Record<string, string>} */
const ESCAPED = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/** @param {string} text */
function parseNumber(text) {
  if (text === '+Inf') return Infinity;
  if (text === '-Inf') return -Infinity;
  return Number(text);
}

/** Parses metrics. @param {string} text @returns {Sample[]} in the order of the text, without comments */
export function parseMetrics(text) {
  return text.split('\n').flatMap((line) => {
    const [, name, inner, value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    /** @type {Record<string, string>} */
    const labels = {};
    for (const pair of inner?.match(LABELS) ?? []) {
      const [label] = pair.split('=', 1);
      const raw = pair.slice(label.length + 2, -1);
      labels[label] = raw.replace(/\\[n"\\]/g, (each) => ESCAPED[each]);
    }
    return [{ name, labels, value: parseNumber(value) }];
  });
}

/**
 * Adds up the samples of a metric.
 * @param {Sample[]} samples @param {string} name
 * @param {Record<string, string>} [labels] labels that a sample must have
 * @returns {number} the sum, NaN if there is no sample
 */
export function total(samples, name, labels = {}) {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? NaN : found.reduce((sum, { value }) => sum + value, 0);
}
