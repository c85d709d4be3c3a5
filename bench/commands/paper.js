import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../app/errors.js';
import { loadScenario, scenarioNames } from '../harness/scenarios.js';
import { PAPER_SCENARIOS } from '../report/paper.js';
import { formatAnswers } from '../report/paper-table.js';
import { formatResults } from '../report/terminal.js';
import {
  OPTIONS,
  exitStatus,
  measure,
  preparePublication,
  settingsOf,
  tryFiles,
  writeFiles,
} from './common/measure.js';
import { usage } from './common/usage.js';

export const help = `pitv bench paper [options]
    repeats the experiments (${PAPER_SCENARIOS.join(', ')}) of Kim, Hong and Shin (2013) and compares the
    results with the figures of their paper
    --out DIR         folder for results.json, samples.csv, report.html and temporary files
    The options of run are also accepted.
`;

export const options = /** @type {const} */ ({ ...OPTIONS, out: { type: 'string' } });

/** @param {Record<string, any>} values @param {string[]} names @param {string[]} argv */
export async function run(values, names, argv) {
  if (names.length > 0)
    throw usage(`'bench paper' takes no '${names[0]}'; its scenarios are fixed.`);
  const settings = settingsOf(values);
  const files = filesOf(values);
  tryFiles(files);
  const there = scenarioNames();
  const scenarios = await Promise.all(
    PAPER_SCENARIOS.filter((name) => there.includes(name)).map(loadScenario),
  );
  const publish = preparePublication(values.publish, scenarios, argv);
  const results = await measure(scenarios, { ...settings, scratch: values.out });
  publish(results);
  await writeFiles(results, files); // before printing, which fails when the terminal is closed
  process.stdout.write(`${formatAnswers(results)}${formatResults(results)}`);
  return exitStatus(results);
}

/**
 * Creates a folder and its parents, one by one, because mkdir with the option `recursive` never returns in /proc.
 * @param {string} path
 */
function makeFolder(path) {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

/** @param {Record<string, any>} values @returns {{json?: string, csv?: string, html?: string}} */
function filesOf({ out, json, csv, html }) {
  if (out === undefined) return { json, csv, html };
  try {
    makeFolder(resolve(out));
  } catch (error) {
    throw usage(`--out ${out} can't be created: ${messageOf(error)}.`);
  }
  return {
    json: json ?? join(out, 'results.json'),
    csv: csv ?? join(out, 'samples.csv'),
    html: html ?? join(out, 'report.html'),
  };
}
