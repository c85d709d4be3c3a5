/** The command line of a program for tests: `--help` exits with 0, a usage error with 2 and one line. */
import { parseArgs } from 'node:util';

/** A line of a help: name and default of an option that has a value. */
const OPTION = /^ {2}--(\w+) [A-Za-z]+ .*?(?:\(default: ([\w.]+)\))?$/gm;

/**
 * Prints one line to stderr and exits with 2.
 * @param {string} message
 * @returns {never}
 */
function usageError(message) {
  console.error(`${message.split('\n', 1)[0]} (--help lists the options)`);
  process.exit(2);
}

/**
 * Parses the options that a help lists. `--help` prints the help and exits.
 * @param {string} help
 * @returns {Record<string, string | undefined>} values by name
 */
export function parseOptions(help) {
  const defaults = [...help.matchAll(OPTION)].map(([, name, value]) => [name, value]);
  const text = /** @type {const} */ ({ type: 'string' });
  const options = Object.fromEntries(defaults.map(([name]) => [name, text]));
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
    if (values.help) {
      console.log(help.trim());
      process.exit(0);
    }
    return { ...Object.fromEntries(defaults), ...values };
  } catch (error) {
    return usageError(/** @type {Error} */ (error).message);
  }
}

/**
 * Parses the value of an option, or exits with a usage error.
 * @param {string} name of the option
 * @param {string | undefined} value
 * @param {{above?: number, whole?: boolean}} [range] `above`: the value must be greater; `whole`: no fraction
 * @returns {number}
 */
export function numberOption(name, value, { above = -Infinity, whole = true } = {}) {
  const number = value?.trim() ? Number(value) : NaN;
  if (number > above && (whole ? Number.isSafeInteger(number) : Number.isFinite(number)))
    return number;
  const kind = whole ? 'a whole number' : 'a number';
  const bound = above > -Infinity ? ` above ${above}` : '';
  return usageError(`--${name} must be ${kind}${bound}, not "${value}".`);
}

/** Parses the option --seed, which is the time by default. @param {string | undefined} value */
export const seedOption = (value = String(Date.now() % 2 ** 31)) => numberOption('seed', value);

/**
 * Returns the value of an option if it is one of the choices, or exits with a usage error.
 * @param {string} name of the option
 * @param {string | undefined} value
 * @param {readonly string[]} choices
 * @returns {string}
 */
export function choiceOption(name, value, choices) {
  if (value !== undefined && choices.includes(value)) return value;
  return usageError(`--${name} must be one of ${choices.join(', ')}, not "${value}".`);
}
