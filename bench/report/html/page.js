/** Makes a page of results that needs no network and no other file. */
import { readFileSync } from 'node:fs';
import { toCsv } from '../csv.js';
import { PAPER } from '../paper.js';
import { COLUMNS, NONE, answers } from '../paper-table.js';
import { SIGNIFICANCE } from '../comparisons.js';
import { MIN_RUNS } from '../results.js';
import { failedLines, groupBy, machineLine, methodLine, skippedLines } from '../text.js';
import { COLOURS, PLOT_STYLE, drawPlot, escape } from '../plot.js';
import { paperPlots } from './paper-plots.js';
import { table } from './tables.js';

/** @typedef {import('../results.js').Results} Results */

/** Makes the page. @param {Results} results @returns {string} HTML */
export function toHtml(results) {
  const body = `${header(results)}<main>${problems(results)}${paper(results)}${results.scenarios
    .map(({ name, title }) => scenario(results, name, title))
    .join('')}${method(results)}${machine(results)}</main>${footer()}`;
  const style = readFileSync(new URL('style.css', import.meta.url), 'utf8');
  const colours = Object.entries(COLOURS).map(
    ([name, [light, dark]]) => `--${name}: light-dark(${light}, ${dark});`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>pitv: ${escape(results.suite)}</title>
<style>:root { ${colours.join(' ')} }
${style}
${PLOT_STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** Makes the head of the page. @param {Results} results */
function header(results) {
  const links = results.scenarios.map(
    ({ name }) => `<a href="#${escape(name)}">${escape(name)}</a>`,
  );
  const when = results.startedAt.replace('T', ' ').slice(0, 16);
  return `<header><b>pitv bench</b>
<h1>CPU-bound JavaScript on a small computer: threads, processes, or a zygote?</h1>
<p class="lead">${escape(machineLine(results.machine))}. ${escape(methodLine(results))}. Started ${escape(when)} UTC, pitv ${escape(results.pitv)}.</p>
<nav>${answers(results).length > 0 ? '<a href="#paper">the paper</a>' : ''}${links.join('')}<a href="#method">method</a><a href="#machine">machine</a></nav></header>`;
}

/** Lists warnings, failures, skipped configurations and limits of the results. @param {Results} results */
function problems(results) {
  const lines = [...results.warnings];
  if (!results.complete) lines.unshift('The run was interrupted.');
  if (results.method.runs < MIN_RUNS) {
    lines.unshift(`Fewer than ${MIN_RUNS} runs: a first look.`);
  }
  if (results.machine.virtual)
    lines.push(
      `Virtual machine (${results.machine.virtual}): compare variants with each other. Times and ratios on another machine differ.`,
    );
  lines.push(...failedLines(results.failures).map((line) => `Failed: ${line}`));
  lines.push(...skippedLines(results.skipped).map((line) => `Skipped: ${line}`));
  if (lines.length === 0) return '';
  return `<div class="notice">${lines.map((line) => `<p>${escape(line)}</p>`).join('')}</div>`;
}

/** Compares the results with the paper's. @param {Results} results */
function paper(results) {
  const found = answers(results);
  if (found.length === 0) return '';
  const columns = Object.entries(COLUMNS).filter(([column]) =>
    found.some(({ here }) => column in here),
  );
  const body = found.map(({ question, paper, here, verdict }) => {
    const ours = columns.map(([column]) => here[column] ?? NONE);
    const cells = [paper, ...ours, verdict].map((text) => `<td>${escape(text)}</td>`);
    return `<tr><th scope="row">${escape(question)}</th>${cells.join('')}</tr>`;
  });
  const headings = ['', 'paper', ...columns.map(([, name]) => name), 'does it still hold?'].map(
    (heading) => `<th scope="col">${escape(heading)}</th>`,
  );
  const figures = paperPlots(results).map(
    ({ plot, caption }) =>
      `<figure>${drawPlot(plot)}<figcaption>${escape(caption)}</figcaption></figure>`,
  );
  return `<h2 id="paper">The paper’s experiments, then and now</h2>
<p class="lead">“${escape(PAPER.title)}” (${escape(PAPER.authors)}, 2013) measured on a ${escape(PAPER.machine)}.</p>
<div class="wide"><table class="answers"><thead><tr>${headings.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>
<div class="figures">${figures.join('')}</div>`;
}

/**
 * Shows the metrics of a scenario; the first one is open. Each has a table with all samples.
 * @param {Results} results @param {string} name @param {string} title
 */
function scenario(results, name, title) {
  const rows = results.rows.filter((row) => row.scenario === name);
  const parts = [...groupBy(rows, ({ metric, unit }) => `${metric} [${unit}]`)].map(
    ([heading, group], i) =>
      `<details${i === 0 ? ' open' : ''}><summary>${escape(heading)}</summary><div class="wide">${table(group, results.comparisons)}</div></details>`,
  );
  return `<section id="${escape(name)}"><h2>${escape(name)}</h2><p class="lead">${escape(title)}</p>${parts.join('')}</section>`;
}

/** Describes how this run was measured, and contains its data. @param {Results} results */
function method(results) {
  const noted = results.notes.map((note) => `<li>${escape(note)}</li>`).join('');
  const margins = [...new Set(results.comparisons.map(({ margin }) => `${margin} %`))].sort();
  const tests = `Ratios are ratios of medians; their intervals are bootstrapped over whole rounds. A difference is claimed when a test gives p &lt; ${SIGNIFICANCE} after Holm’s correction over all comparisons of this page and the ratio’s interval excludes 1. The tests are Wilcoxon’s signed-rank test over rounds and the Mann-Whitney test; the smaller p is doubled. “No difference” is claimed when two one-sided tests (TOST) with the same correction give p &lt; ${SIGNIFICANCE} for a ratio outside the margin (${margins.join(' or ')}). Otherwise, the page says “cannot say”, and how large a difference would be found in 80 of 100 such runs. Kendall’s rank correlation with time tests for drift.`;
  const isTested = margins.length > 0 && results.rows.some(({ samples }) => samples.length > 1);
  return `<section id="method"><h2>Method</h2>
<p>Every sample is taken in a fresh process: ${escape(methodLine(results))}. Outliers (modified z-score over 3.5) are counted and kept. The data below contain every sample of the counted rounds.</p>
${isTested ? `<p>${tests}</p>` : ''}
<p>PSS is the memory of a process, in which a page that n processes share counts 1/n. It is read from <code>/proc/PID/smaps_rollup</code> and summed over the process tree.</p>${noted ? `<ul>${noted}</ul>` : ''}
<p>${download('pitv-results.json', 'application/json', JSON.stringify(results), 'All data (JSON)')},
${download('pitv-samples.csv', 'text/csv', toCsv(results), 'samples (CSV)')}</p></section>`;
}

/**
 * Makes a link that saves a text, which the page contains.
 * @param {string} name of the file @param {string} type @param {string} text @param {string} label
 */
const download = (name, type, text, label) =>
  `<a download="${name}" href="data:${type};base64,${Buffer.from(text).toString('base64')}">${label}</a>`;

/** @param {Results} results */
function machine({ machine: facts }) {
  const { before, after, ...fixed } = facts;
  const text = (/** @type {unknown} */ value) =>
    value === null || value === ''
      ? '–'
      : typeof value === 'object'
        ? Object.entries(value)
            .map(([name, one]) => `${name} ${one ?? '–'}`)
            .join(', ')
        : String(value);
  const rows = Object.entries({ ...fixed, before, after }).map(
    ([name, value]) =>
      `<tr><th scope="row">${escape(name)}</th><td>${escape(text(value))}</td></tr>`,
  );
  return `<section id="machine"><h2>Machine</h2><table class="facts"><tbody>${rows.join('')}</tbody></table></section>`;
}

function footer() {
  return `<footer>Made by <code>pitv bench</code>. This page needs no network.</footer>`;
}
