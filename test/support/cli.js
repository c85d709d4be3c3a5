/** The command line of a program for tests: `--help` exits with 0, a usage error with 2 and one line. */
import { parseArgs } from 'node:util';

/**
 * Prints one line to stderr and exits with 2.
 * @param {string} message
 * @returns {never}
 */
export function usageError(message) {
  console.error(`${message.split('\n', 1)[0]} (--help lists the options)`);
  process.exit(2);
}

/**
 * Parses options that all have a value. `--help` prints the help and exits.
 * @template {string} Name
 * @param {string} help
 * @param {Record<Name, string | undefined>} defaults
 * @returns {Record<Name, string | undefined>} values by name
 */
export function parseOptions(help, defaults) {
  const text = /** @type {const} */ ({ type: 'string' });
  const names = /** @type {Name[]} */ (Object.keys(defaults));
  const options = Object.fromEntries(names.map((name) => [name, text]));
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
    if (values.help) {
      console.log(help.trim());
      process.exit(0);
    }
    return { ...defaults, ...values };
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
