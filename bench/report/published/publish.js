/**
 * Rebuilds published tables from stored samples, and checks the pages. Every table, and every figure in the README,
 * must come from stored samples, except those that bench/results/without-data.json lists.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../app/errors.js';
import { loadScenario } from '../../harness/scenarios.js';
import { sourceLine } from '../text.js';
import { firstChange, hasHistory } from './history.js';
import { figuresInProse, findTables, numbersIn } from './markdown-tables.js';
import { fillPlaces, placesIn, withoutPlaces } from './places.js';
import { pathOf, publishedNames, readPublished } from './store.js';

/**
 * @typedef {import('../results.js').Results} Results
 * @typedef {ReturnType<typeof readPublished>} Published
 *
 * @typedef {object} Table a file of tables/, whose name is the name of the table
 * @property {string} name
 * @property {string[]} sources names of published results; NAME* means all that begin with NAME
 * @property {boolean} [isBrief] whether the line below the table lists the samples only, without the method
 * @property {(files: Results[]) => string} render writes Markdown
 *
 * @typedef {object} WithoutData tables that were published before samples were stored
 * @property {{page: string, table: string, numbers: string}[]} tables numbers: fingerprint of the numbers in its rows
 * @property {{page: string, command: string}[]} logs pages that other programs wrote, which state their date and commit
 *
 * @typedef {object} Options
 * @property {string} root of the project
 * @property {Table[]} tables
 * @property {number} [now] ms since 1970
 *
 * @typedef {object} Plan
 * @property {{name: string, page: string, state: 'current' | 'differs' | 'without data'}[]} tables
 * @property {{page: string, text: string}[]} changes pages with new text, and the list without the tables that have
 *   samples now
 * @property {string[]} problems problems that rebuilding does not solve
 * @property {string[]} notes
 */

const READMES = ['README.md', 'README.ko.md'];
/** Pages that have tables, besides those in docs/results. */
const PAGES = [...READMES, 'docs/runtime.md'];
const LIST = 'bench/results/without-data.json';
/** A table has to be measured again this many days after its measured code has changed. */
const MAX_AGE_DAYS = 30;
const DAY_MS = 86_400_000;

/** Loads the tables of the folder. @returns {Promise<Table[]>} */
export async function loadTables() {
  const folder = new URL('tables/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.js'));
  return Promise.all(
    files.sort().map(async (file) => {
      const { sources, isBrief = false, render } = await import(new URL(file, folder).href);
      return { name: file.slice(0, -'.js'.length), sources, isBrief, render };
    }),
  );
}

/** Lists the pages with figures. @param {string} root @returns {string[]} from the root */
const pagesOf = (root) => [
  ...PAGES.filter((page) => existsSync(join(root, page))),
  ...readdirSync(join(root, 'docs/results'))
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map((file) => `docs/results/${file}`),
];

/**
 * Computes the new texts of the pages and lists problems. Writes nothing.
 * @param {Options} options
 * @returns {Promise<Plan>}
 */
export async function planPublication({ root, tables, now = Date.now() }) {
  /** @type {string[]} */
  const problems = [];
  const { files, contents } = renderTables(root, tables, problems);
  const pages = pagesOf(root).map((page) => ({
    page,
    text: readFileSync(join(root, page), 'utf8'),
  }));
  const filled = pages.map(({ page, text }) => ({ page, text: fillPlaces(text, contents) }));
  const places = pages.flatMap(({ page, text }) => placesIn(text).map((name) => ({ name, page })));
  problems.push(...checkPlaces(places, tables), ...checkSources(tables, [...files.keys()]));
  /** @type {WithoutData} */
  const list = JSON.parse(readFileSync(join(root, LIST), 'utf8'));
  const { unlisted, obsolete } = checkTables(filled, contents, list);
  problems.push(...unlisted, ...checkLogs(filled, list));
  for (const { page, text } of filled) {
    if (READMES.includes(page)) problems.push(...checkProse(page, text, contents));
  }
  const left = list.tables.filter((one) => !obsolete.includes(one));
  const notes = [`${left.length} tables are without raw data yet; ${LIST} lists them.`];
  if (hasHistory(root)) problems.push(...(await checkAge(root, files, now)));
  else notes.push('Git has no complete history here, so the age of the figures is not checked.');
  const before = new Map(pages.map(({ page, text }) => [page, text]));
  const changes = filled.filter(({ page, text }) => before.get(page) !== text);
  if (obsolete.length > 0) {
    changes.push({ page: LIST, text: `${JSON.stringify({ ...list, tables: left }, null, 2)}\n` });
  }
  return {
    tables: places.map(({ name, page }) => {
      const content = contents.get(name);
      if (content === undefined) return { name, page, state: 'without data' };
      const text = before.get(page) ?? '';
      const isCurrent = fillPlaces(text, new Map([[name, content]])) === text;
      return { name, page, state: isCurrent ? 'current' : 'differs' };
    }),
    changes,
    problems,
    notes,
  };
}

/**
 * Renders the tables whose samples are stored.
 * @param {string} root @param {Table[]} tables @param {string[]} problems
 * @returns {{files: Map<string, Published>, contents: Map<string, string>}}
 */
function renderTables(root, tables, problems) {
  /** @type {Map<string, Published>} */
  const files = new Map();
  for (const name of publishedNames(root)) {
    try {
      files.set(name, readPublished(root, name));
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  const contents = new Map();
  for (const { name, sources, isBrief, render } of tables) {
    const names = sourceNames(sources, [...files.keys()]);
    if (names.length === 0) continue;
    const missing = sources.filter((source) => sourceNames([source], names).length === 0);
    if (missing.length > 0) {
      problems.push(`table ${name}: bench/results has no ${missing.join(', ')}`);
      continue;
    }
    const mine = names.flatMap((one) => files.get(one) ?? []);
    try {
      contents.set(
        name,
        `${render(mine).trim()}\n\n${isBrief ? namesLine(names) : sourceLines(names, mine)}`,
      );
    } catch (error) {
      problems.push(`table ${name}: ${messageOf(error)}`);
    }
  }
  return { files, contents };
}

/** Expands sources. @param {string[]} sources @param {string[]} names @returns {string[]} the names that match */
const sourceNames = (sources, names) =>
  names.filter((name) =>
    sources.some((source) =>
      source.endsWith('*') ? name.startsWith(source.slice(0, -1)) : name === source,
    ),
  );

/** Describes the samples of a table. @param {string[]} names @param {Published[]} files */
function sourceLines(names, files) {
  const lines = names.map((name, i) => `\`${pathOf(name)}\`: ${sourceLine(files[i])}`);
  return `Samples: ${lines.join('\n\n')}`;
}

/** @param {string[]} names of published results */
const namesLine = (names) => `Samples: ${names.map((name) => `\`${pathOf(name)}\``).join(', ')}.`;

/** @param {{name: string, page: string}[]} places @param {Table[]} tables @returns {string[]} */
function checkPlaces(places, tables) {
  const known = tables.map(({ name }) => name);
  const wanted = places.map(({ name }) => name);
  return [
    ...places
      .filter(({ name }) => !known.includes(name))
      .map(({ name, page }) => `${page}: bench/report/published/tables has no ${name}.js`),
    ...known.filter((name) => !wanted.includes(name)).map((name) => `no page has table ${name}`),
  ];
}

/** @param {Table[]} tables @param {string[]} names @returns {string[]} */
function checkSources(tables, names) {
  const used = sourceNames(
    tables.flatMap(({ sources }) => sources),
    names,
  );
  return names
    .filter((name) => !used.includes(name))
    .map((name) => `no table uses ${pathOf(name)}`);
}

/**
 * Finds tables that are neither generated nor listed, and entries of the list whose table does not exist any more.
 * @param {{page: string, text: string}[]} pages @param {Map<string, string>} contents @param {WithoutData} list
 * @returns {{unlisted: string[], obsolete: WithoutData['tables']}} unlisted: problems
 */
function checkTables(pages, contents, list) {
  const open = [...list.tables];
  const logs = list.logs.map(({ page }) => page);
  const unlisted = pages
    .filter(({ page }) => !logs.includes(page))
    .flatMap(({ page, text }) =>
      findTables(withoutPlaces(text, (name) => contents.has(name))).flatMap(({ line, numbers }) => {
        const at = open.findIndex((one) => one.page === page && one.numbers === numbers);
        if (at >= 0) open.splice(at, 1);
        return at >= 0
          ? []
          : [`${page}:${line}: this table has no samples, and ${LIST} does not list ${numbers}`];
      }),
    );
  return { unlisted, obsolete: open };
}

/** @param {{page: string}[]} pages @param {WithoutData} list @returns {string[]} */
const checkLogs = (pages, { logs }) =>
  logs
    .filter((log) => !pages.some(({ page }) => page === log.page))
    .map(({ page }) => `${LIST}: there is no ${page}`);

/**
 * Finds figures in the prose of a page that no generated table contains.
 * @param {string} page @param {string} text @param {Map<string, string>} contents @returns {string[]}
 */
function checkProse(page, text, contents) {
  const known = new Set([...contents.values()].flatMap(numbersIn));
  return figuresInProse(withoutPlaces(text, (name) => contents.has(name)))
    .filter(({ number }) => !known.has(number))
    .map(({ line, figure }) => `${page}:${line}: "${figure}" is in no generated table`);
}

/**
 * Finds results whose measured code changed more than MAX_AGE_DAYS ago.
 * @param {string} root @param {Map<string, Published>} files @param {number} now ms since 1970
 * @returns {Promise<string[]>}
 */
async function checkAge(root, files, now) {
  const problems = [];
  for (const [name, { provenance, startedAt, scenarios }] of files) {
    for (const scenario of scenarios) {
      const paths = await measuredPaths(scenario.name);
      const { commit, command } = provenance;
      const changed = firstChange(root, { commit, startedAt }, paths);
      const days = changed ? Math.floor((now - Date.parse(changed)) / DAY_MS) : 0;
      if (days > MAX_AGE_DAYS) {
        problems.push(
          `${pathOf(name)}: code that ${scenario.name} measures changed ${days} days ago; measure again (${command})`,
        );
      }
    }
  }
  return problems;
}

/**
 * Lists the paths that a scenario measures, including its own folder.
 * @param {string} name @returns {Promise<string[]>}
 */
export async function measuredPaths(name) {
  const { measures = [] } = await loadScenario(name);
  return [`bench/scenarios/${name}`, ...measures];
}
