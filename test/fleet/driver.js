/** `make fleet-failures`: lets parts of a fleet of three TVs fail, and measures how long screens get no new frame. */
import { messageOf } from '../../app/errors.js';
import { missingForFleet } from '../../bench/harness/local-fleet.js';
import { missingForNetwork } from '../../bench/network/fleet-network.js';
import { tableOf } from '../../bench/report/markdown.js';
import { median } from '../../bench/stats/stats.js';
import { openScope } from '../support/polling.js';
import { FAILURES, measureFailure } from './failures.js';

/** @typedef {{name: string} & import('./failures.js').Measured} Result */

/** Fleets in which the same fails at the same time, so that 20 of each take less than an hour. */
const FLEETS = 2;

const worst = (/** @type {number[]} */ values) => Math.max(...values);

/**
 * Makes the cells of a column.
 * @param {'own' | 'others' | 'said'} figure @param {(values: number[]) => number} of
 * @returns {(results: Result[]) => string}
 */
const ms = (figure, of) => (results) => {
  const values = results.map((result) => result[figure]).filter((value) => value !== undefined);
  if (values.length === 0) return '';
  const value = of(values);
  return value === Infinity ? 'never' : value.toFixed();
};

/** @type {import('../../bench/report/markdown.js').Columns<Result[]>} */
const COLUMNS = [
  ['What fails', ([{ name }]) => name],
  ['n', (results) => results.length],
  ['its screens: median, ms', ms('own', median)],
  ['worst', ms('own', worst)],
  ['others: median, ms', ms('others', median)],
  ['worst', ms('others', worst)],
  ['says so, worst, ms', ms('said', worst)],
  ['wrong', (results) => results.filter(({ wrong }) => wrong.length > 0).length],
];

const METHOD = `The longest time between two new frames at a screen, from the failure until three seconds after its end. "The TV"
runs the match; "its screens" are those of the TVs that fail or are cut off. There is one at each TV; it connects as the page of a
screen does, and changes its TV when that one is silent for 1.2 s. "Says so": time from the last frame until a screen that stands
still for more than 1.5 s says that it does, that it has lost its TV, or that its TV has lost the others. Each failure has a new
fleet. Two fleets, in which the same fails, share the cores of this machine.`;

/** @type {import('../drive.js').Driver} */
export const driver = {
  title: 'Failures of a fleet',
  about: 'Lets parts of a fleet of three TVs fail, and measures how long screens get no new frame.',
  options: {
    COUNT: { about: 'how often each failure happens', value: 20, above: 0 },
    ONLY: { about: 'only the failures with this text in their name', value: '' },
  },
  async drive({ COUNT: count, ONLY: only }, { signal, show }) {
    if (missingForFleet) return { paragraphs: [], problems: [missingForFleet] };
    const noCuts = missingForNetwork();
    const asked = Object.keys(FAILURES).filter((name) => name.includes(only));
    const left = asked.filter((name) => noCuts && FAILURES[name].isCut);
    const names = asked.filter((name) => !left.includes(name));
    /** @type {Result[]} */
    const results = [];
    const measure = async (/** @type {string} */ name) => {
      const scope = openScope();
      const failure = { ...FAILURES[name], options: { flags: ['--engine', 'auto'] } };
      const measured = await measureFailure(scope, failure).catch((error) => ({
        wrong: [messageOf(error)],
      }));
      results.push({ name, ...measured });
      show(results.at(-1));
      await scope.close();
    };
    for (let done = 0; done < count; done += FLEETS) {
      const fleets = Math.min(FLEETS, count - done);
      for (const name of names) {
        if (signal.aborted) break;
        await Promise.all(Array.from({ length: fleets }, () => measure(name)));
      }
    }
    const rows = names
      .map((name) => results.filter((result) => result.name === name))
      .filter((row) => row.length > 0);
    const problems = results.flatMap(({ name, wrong }) => wrong.map((what) => `${name}: ${what}`));
    if (results.length === 0) problems.push('no failure was run');
    return {
      paragraphs: [
        tableOf(COLUMNS, rows),
        ...left.map((name) => `Left out: ${name} (${noCuts}).`),
        METHOD,
      ],
      problems,
    };
  },
};
