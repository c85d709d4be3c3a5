/**
 * Drives a TV under test, and prints one report: `make faults`, `make fleet-failures`, `make fuzz`, `make hostile` and
 * `make soak`. Exits with 1 when something was wrong, and with 2 when an option was.
 */
import { conditions, startOfRun } from '../bench/machine/conditions.js';

/** The folder of each one has the first word of its name. */
const DRIVERS = ['faults', 'fleet-failures', 'fuzz', 'hostile', 'soak'];
const SEED = {
  about: 'repeats the random choices of an earlier run',
  value: Date.now() % 2 ** 31,
};

/**
 * @typedef {object} Option
 * @property {string} about
 * @property {string | number} value the default; with a number, the option is one
 * @property {readonly string[]} [choices]
 * @property {number} [above] the number must be greater
 * @property {boolean} [part] whether the number may have a fraction
 *
 * @typedef {object} Driver what `driver.js` in its folder exports
 * @property {string} title of the report
 * @property {string} about one sentence
 * @property {Record<string, Option>} options by name
 * @property {boolean} [random] whether there is an option SEED
 * @property {(values: Record<string, any>, run: Run) => Promise<{paragraphs: string[], problems: string[]}>} drive
 *
 * @typedef {object} Run
 * @property {AbortSignal} signal ends the run early, and what was found is reported
 * @property {(result: unknown) => void} show prints a result at once
 */

/** @param {string} message @returns {never} */
function usageError(message) {
  console.error(message);
  process.exit(2);
}

/** @param {string} name @param {Option} option @param {string} text */
function read(name, { value, choices, above = -Infinity, part }, text) {
  if (choices && !choices.includes(text))
    usageError(`${name} must be one of ${choices.join(', ')}, not "${text}".`);
  if (typeof value === 'string') return text;
  const number = text.trim() ? Number(text) : NaN;
  if (number > above && (part ? Number.isFinite(number) : Number.isSafeInteger(number)))
    return number;
  const bound = above > -Infinity ? ` above ${above}` : '';
  return usageError(`${name} must be a ${part ? '' : 'whole '}number${bound}, not "${text}".`);
}

/** @param {Driver} driver @param {Record<string, Option>} options @param {string} name */
function printHelp({ about }, options, name) {
  const lines = Object.entries(options).map(([option, { about: what, value, choices }]) => {
    const initial = value === '' || value === Infinity ? '' : ` (default: ${value})`;
    return `  ${option.padEnd(8)} ${what}${choices ? `: ${choices.join(', ')}` : ''}${initial}`;
  });
  console.log(`make ${name} [OPTION=VALUE ...]\n\n${about}\n\n${lines.join('\n')}

Prints Markdown on stdout and each result as JSON on stderr. Exits with 1 when something was wrong.`);
}

const [name = '', ...args] = process.argv.slice(2);
if (!DRIVERS.includes(name))
  usageError(`Usage: node test/drive.js ${DRIVERS.join('|')} [--help] [OPTION=VALUE ...]`);
/** @type {{driver: Driver}} */
const { driver } = await import(`./${name.split('-', 1)}/driver.js`);
/** @type {Record<string, Option>} */
const options = {
  ...driver.options,
  ...(driver.random && { SEED }),
  NOTE: { about: 'a sentence for the conditions of the report', value: '' },
};
if (args.includes('--help')) {
  printHelp(driver, options, name);
  process.exit(0);
}
const values = Object.fromEntries(Object.entries(options).map(([key, { value }]) => [key, value]));
for (const arg of args) {
  const [, key = '', text = ''] = /^([A-Z]+)=(.*)$/s.exec(arg) ?? [];
  const option = Object.hasOwn(options, key) ? options[key] : undefined;
  if (option) values[key] = read(key, option, text);
  else usageError(`"${arg}" is no option of ${name} (--help lists them).`);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort());
const start = startOfRun();
const { paragraphs, problems } = await driver.drive(values, {
  signal: interrupted.signal,
  show: (result) => console.error(JSON.stringify(result)),
});
if (interrupted.signal.aborted) problems.push('interrupted');
const { NOTE: note, ...told } = values;
const given = Object.entries(told).filter(([, value]) => value !== '' && value !== Infinity);
const quoted = given.map(
  ([key, value]) => `${key}=${/\s/.test(String(value)) ? `"${value}"` : value}`,
);
const command = `make ${name} ${quoted.join(' ')}`;
const failed = problems.map((problem) => `- FAILED: ${problem}`).join('\n');
const parts = [conditions({ command, ...start, note: String(note) }), ...paragraphs];
console.log([`# ${driver.title}`, ...parts, failed || 'Passed.'].join('\n\n'));
process.exitCode = problems.length > 0 ? 1 : 0;
