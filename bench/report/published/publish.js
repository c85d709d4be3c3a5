/**
 * Rebuilds published tables, plots and pages from stored samples, and checks them. Every table in docs/results, and
 * every figure with a unit in the prose there and in the READMEs, must come from stored samples or from the output of
 * another program in bench/results.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../app/errors.js';
import { scenarioNames } from '../../harness/scenarios.js';
import { PAPER } from '../paper.js';
import { describePlot, drawPlot } from '../plot.js';
import { plotOf, renderTable } from './declared.js';
import { logPlots, logTables } from './logs.js';
import {
  figuresInProse,
  fillPlaces,
  findTables,
  numbersIn,
  placesIn,
  withoutPlaces,
} from './pages.js';
import { GENERATED, publishedNames, readPublished, storedIndex, storedPage } from './store.js';

/**
 * @typedef {ReturnType<typeof readPublished>} Published
 *
 * @typedef {object} Declared by name
 * @property {Record<string, import('./declared.js').Table>} tables
 * @property {Record<string, import('./declared.js').DeclaredPlot>} plots
 *
 * @typedef {object} Plan
 * @property {{path: string, text: string}[]} changes files with new text
 * @property {string[]} files that were checked
 * @property {string[]} problems problems that rebuilding does not solve
 */

const READMES = ['README.md', 'README.ko.md'];
const RESULTS = 'docs/results';
const STORED = 'bench/results';
/** Pages with places, besides those in docs/results. */
const PAGES = [...READMES, 'docs/runtime.md', 'docs/fleet.md', `${STORED}/README.md`];

/** Loads what the scenarios and the READMEs declare. @returns {Promise<Declared>} */
export async function loadDeclared() {
  const files = scenarioNames()
    .map((name) => new URL(`../../scenarios/${name}/published.js`, import.meta.url))
    .filter((url) => existsSync(url));
  const modules = await Promise.all(
    [...files, new URL('readme.js', import.meta.url)].map((url) => import(url.href)),
  );
  return {
    tables: Object.assign({}, ...modules.map(({ tables }) => tables)),
    plots: Object.assign({}, ...modules.map(({ plots }) => plots)),
  };
}

/** Lists the files of a folder. @param {string} root @param {string} folder @param {string} ending */
const filesIn = (root, folder, ending) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder))
        .filter((file) => file.endsWith(ending))
        .sort()
        .map((file) => `${folder}/${file}`)
    : [];

/**
 * Computes the new texts of the pages and lists problems. Writes nothing.
 * @param {string} root of the project @param {Declared} declared @returns {Plan}
 */
export function planPublication(root, declared) {
  /** @type {string[]} */
  const problems = [];
  const attempt = (/** @type {string} */ what, /** @type {() => void} */ action) => {
    try {
      action();
    } catch (error) {
      problems.push(`${what}${messageOf(error)}`);
    }
  };
  /** @type {Map<string, Published>} */
  const stored = new Map();
  for (const name of publishedNames(root)) {
    attempt('', () => stored.set(name, readPublished(root, name)));
  }

  /** @type {Map<string, string>} */
  const contents = new Map([['table stored', storedIndex(stored)]]);
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const [name, results] of stored)
    files.set(`${STORED}/${name}.md`, storedPage(name, results));
  for (const [name, table] of Object.entries(declared.tables)) {
    attempt(`table ${name}: `, () => contents.set(`table ${name}`, renderTable(table, stored)));
  }
  /** @type {Map<string, import('../plot.js').Plot>} */
  const plots = new Map();
  for (const [name, plot] of Object.entries(declared.plots)) {
    attempt(`plot ${name}: `, () => plots.set(name, plotOf(plot, stored)));
  }
  attempt('', () => logTables(root).forEach((text, place) => contents.set(place, text)));
  attempt('', () => logPlots(root).forEach((plot, name) => plots.set(name, plot)));
  for (const [name, plot] of plots) {
    files.set(`${RESULTS}/${name}.svg`, drawPlot(plot));
    contents.set(`plot ${name}`, `![${describePlot(plot)}](${name}.svg)`);
  }

  const texts = [...PAGES, ...filesIn(root, RESULTS, '.md')]
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  for (const { path, text } of texts) files.set(path, fillPlaces(text, contents));
  problems.push(
    ...checkPlaces(texts, [...contents.keys()]),
    ...checkFigures(root, files, contents),
    ...checkStrays(root, files),
  );
  const isNew = (/** @type {string} */ path, /** @type {string} */ text) =>
    !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text;
  const changes = [...files]
    .filter(([path, text]) => isNew(path, text))
    .map(([path, text]) => ({ path, text }));
  return { changes, files: [...files.keys()], problems };
}

/** @param {{path: string, text: string}[]} texts @param {string[]} known places @returns {string[]} */
function checkPlaces(texts, known) {
  const places = texts.flatMap(({ path, text }) => placesIn(text).map((name) => ({ path, name })));
  const wanted = places.map(({ name }) => name);
  return [
    ...places
      .filter(({ name }) => !known.includes(name))
      .map(({ path, name }) => `${path}: no scenario declares ${name}`),
    ...known
      .filter((name) => name !== 'table stored' && !wanted.includes(name))
      .map((name) => `no page has ${name}`),
  ];
}

/**
 * Finds tables in docs/results that are not generated, and figures in the prose there and in the READMEs that neither a
 * generated table, a page of bench/results nor the paper contains.
 * @param {string} root @param {Map<string, string>} files @param {Map<string, string>} contents
 * @returns {string[]}
 */
function checkFigures(root, files, contents) {
  const logs = filesIn(root, STORED, '.md').filter((path) => !files.has(path));
  const sources = [...files].filter(([path]) => path.startsWith(`${STORED}/`));
  const known = new Set(
    [
      ...contents.values(),
      ...sources.map(([, text]) => text),
      ...logs.map((path) => readFileSync(join(root, path), 'utf8')),
      JSON.stringify(PAPER).replaceAll(',', ' '),
    ].flatMap(numbersIn),
  );
  return [...files].flatMap(([path, text]) => {
    if (!READMES.includes(path) && !/^docs\/results\/.*\.md$/.test(path)) return [];
    const own = withoutPlaces(text, (name) => contents.has(name));
    const tables = path.endsWith('README.md') ? [] : findTables(own);
    return [
      ...tables.map(({ line }) => `${path}:${line}: this table has no samples`),
      ...figuresInProse(own)
        .filter(({ number }) => !known.has(number))
        .map(({ line, figure }) => `${path}:${line}: "${figure}" is in no generated table`),
    ];
  });
}

/** Finds generated files that nothing declares any more. @param {string} root @param {Map<string, string>} files */
function checkStrays(root, files) {
  const pages = filesIn(root, STORED, '.md').filter((path) =>
    readFileSync(join(root, path), 'utf8').startsWith(GENERATED),
  );
  return [...pages, ...filesIn(root, RESULTS, '.svg')]
    .filter((path) => !files.has(path))
    .map((path) => `${path}: nothing declares it any more; remove it`);
}
