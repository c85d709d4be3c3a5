/**
 * Checks options by name. A function describes each of its options by a field. An unknown name, a wrong type and a
 * value out of range are errors; the message names the option and its possible values.
 */
import { PitvError } from './errors.js';

/**
 * @typedef {object} Field
 * @property {string} allowed the end of the sentence "NAME must be ..."
 * @property {(value: any) => boolean} accepts
 * @property {unknown} [fallback] the value when the option is missing
 * @property {Record<string, Field>} [fields] of an object
 * @property {Field} [element] of an array, or each value of an object
 */

/** Describes a whole number. @param {number} min @param {number} [max] @param {number} [fallback] @returns {Field} */
export const integer = (min, max = Number.MAX_SAFE_INTEGER, fallback = undefined) => ({
  allowed: min === max ? String(min) : `a whole number from ${min} to ${max}`,
  accepts: (value) => Number.isInteger(value) && value >= min && value <= max,
  fallback,
});

/**
 * Describes a text without control characters.
 * @param {number} max length in characters @param {string} [fallback] @returns {Field}
 */
export const text = (max, fallback) => ({
  allowed: `a text of 1 to ${max} characters without control characters`,
  accepts: (value) => typeof value === 'string' && value.length <= max && /^\P{Cc}+$/u.test(value),
  fallback,
});

/** Describes a text of any characters, also an empty one. @param {number} max length in characters @returns {Field} */
export const anyText = (max) => ({
  allowed: `a text of at most ${max} characters`,
  accepts: (value) => typeof value === 'string' && value.length <= max,
});

/** Describes one of several words. @param {readonly string[]} words @returns {Field} */
export const oneOf = (words) => ({
  allowed: `one of ${words.join(', ')}`,
  accepts: (value) => words.includes(value),
});

/** Describes a number. @param {number} min @param {number} max @returns {Field} */
export const number = (min, max) => ({
  allowed: `a number from ${min} to ${max}`,
  accepts: (value) => typeof value === 'number' && value >= min && value <= max,
});

/** Describes a text. @param {string} allowed @param {RegExp} pattern @param {number} [max] length @returns {Field} */
export const like = (allowed, pattern, max = Infinity) => ({
  allowed,
  accepts: (value) => typeof value === 'string' && value.length <= max && pattern.test(value),
});

/** Describes a boolean. @param {boolean} [fallback] @returns {Field} */
export const boolean = (fallback) => ({
  allowed: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  fallback,
});

/** Describes a function. @param {Function} [fallback] @returns {Field} */
export const callable = (fallback) => ({
  allowed: 'a function',
  accepts: (value) => typeof value === 'function',
  fallback,
});

/** Describes an object, or one of a class. @param {Function} [type] @param {string} [allowed] @returns {Field} */
export const object = (type, allowed = type ? `an instance of ${type.name}` : 'an object') => ({
  allowed,
  accepts: (value) =>
    type
      ? value instanceof type
      : typeof value === 'object' && value !== null && !Array.isArray(value),
});

/** Describes an array. @param {Field} element @param {number} min length @param {number} max length @returns {Field} */
export const list = (element, min, max) => ({
  allowed: `an array of ${min === max ? min : `${min} to ${max}`} elements, each ${element.allowed}`,
  accepts: (value) =>
    Array.isArray(value) &&
    value.length >= min &&
    value.length <= max &&
    Array.from(value).every(element.accepts),
  element,
});

/** Describes a value that may be undefined. @param {Field} field @returns {Field} */
export const optional = (field) => ({
  ...field,
  accepts: (value) => value === undefined || field.accepts(value),
});

/** Finds a wrong property of an object. @param {Record<string, Field>} fields @param {any} value */
export const findWrong = (fields, value) =>
  Object.keys(fields).find((name) => !fields[name].accepts(value[name]));

/** Describes an object by its properties. It may have others. @param {Record<string, Field>} fields @returns {Field} */
export const shape = (fields) => ({
  allowed: 'an object',
  accepts: (value) => object().accepts(value) && findWrong(fields, value) === undefined,
  fields,
});

/** Describes an option of any type. @type {Field} */
export const anything = { allowed: 'anything', accepts: () => true };

/** Describes an absolute URL. @type {Field} */
export const url = {
  allowed: 'an absolute URL (file:, data: or node:)',
  accepts: (value) => value instanceof URL || (typeof value === 'string' && URL.canParse(value)),
};

/**
 * Tells whether an address is one of http or https whose host has no character with a meaning in headers, such as ";".
 * @param {URL} address
 */
export const isWebAddress = ({ protocol, host }) =>
  /^https?:$/.test(protocol) && /^[A-Za-z0-9._:[\]-]{1,255}$/.test(host);

/** Functions that return a promise or an iterator, by the tag of their prototype. @type {Record<string, string>} */
const FUNCTIONS = {
  AsyncFunction: 'an async function',
  AsyncGeneratorFunction: 'an async generator',
  GeneratorFunction: 'a generator',
};
/** @param {Function} value @returns {string} */
const tagOf = (value) => String(Reflect.get(value, Symbol.toStringTag));

/** Describes a function that is neither async nor a generator. @param {string} reason @returns {Field} */
export const synchronous = (reason) => ({
  allowed: `an ordinary function (${reason})`,
  accepts: (value) => typeof value === 'function' && !(tagOf(value) in FUNCTIONS),
});

/** Formats a value for an error message. @param {unknown} value @returns {string} */
function format(value) {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'function') return FUNCTIONS[tagOf(value)] ?? 'a function';
  if (Array.isArray(value)) return `[${Array.from(value.slice(0, 16), format).join(', ')}]`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/**
 * Checks one option.
 * @param {string} owner the function, for the message @param {string} name @param {Field} field
 * @param {unknown} value @throws {PitvError} PITV_OPTION_INVALID
 */
export function checkValue(owner, name, field, value) {
  if (field.accepts(value)) return;
  const sentence = `${owner}: ${name} must be ${field.allowed}, not ${format(value)}.`;
  throw new PitvError('PITV_OPTION_INVALID', sentence, { details: { option: name } });
}

/**
 * Checks a value after its parts, so that the message names the part that is wrong.
 * @param {string} owner see checkValue() @param {string} path of the value @param {Field} field @param {any} value
 * @throws {PitvError} PITV_OPTION_INVALID
 */
export function checkParts(owner, path, field, value) {
  const { fields, element } = field;
  if (fields && object().accepts(value)) checkFields(owner, `${path}.`, fields, value);
  if (element?.fields && typeof value === 'object') {
    for (const [name, part] of Object.entries(value ?? {})) {
      checkParts(owner, path + (Array.isArray(value) ? `[${name}]` : `.${name}`), element, part);
    }
  }
  checkValue(owner, path, field, value);
}

/**
 * Checks the fields of an object with all their parts, and refuses unknown ones.
 * @param {string} owner see checkValue() @param {string} path of the object: empty, or with a dot at its end
 * @param {Record<string, Field>} fields @param {any} value @throws {PitvError} PITV_OPTION_INVALID
 */
export function checkFields(owner, path, fields, value) {
  checkValue(owner, 'its content', object(), value);
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue;
    const near = Object.keys(fields).find((known) => isNear(known, name));
    const hint = near ? ` Is it ${path}${near}?` : ` Fields: ${Object.keys(fields).join(', ')}.`;
    const sentence = `${owner}: there is no field ${path}${name.slice(0, 40)}.${hint}`;
    throw new PitvError('PITV_OPTION_INVALID', sentence, { details: { option: name } });
  }
  for (const [name, field] of Object.entries(fields)) {
    checkParts(owner, `${path}${name}`, field, value[name]);
  }
}

/** Tells whether a name is another one with a typing error. @param {string} known @param {string} name */
function isNear(known, name) {
  const [p, q] = [known.toLowerCase(), name.toLowerCase()];
  if (p === q) return true;
  if (Math.abs(p.length - q.length) > 1) return false;
  let start = 0;
  while (start < p.length && p[start] === q[start]) start++;
  const rest = (/** @type {string} */ text, /** @type {number} */ skip) => text.slice(start + skip);
  return (
    rest(p, 1) === rest(q, 1) || // another letter
    rest(p, 1) === rest(q, 0) || // a letter is missing
    rest(p, 0) === rest(q, 1) || // there is one too many
    (p[start] === q[start + 1] && p[start + 1] === q[start] && rest(p, 2) === rest(q, 2))
  );
}

/** Reads an option. Properties of Object.prototype are none. @param {object} given @param {string} name */
function readOption(given, name) {
  for (let at = given; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, name)) return Reflect.get(given, name);
  }
  return undefined;
}

/**
 * Checks all options. An option that is undefined counts as missing.
 * @template {Record<string, Field>} F
 * @param {string} owner the function, for the message @param {F} fields by name @param {unknown} given
 * @returns {{[K in keyof F]: any}} a copy with fallbacks; options that have neither value nor fallback are missing
 * @throws {PitvError} PITV_OPTION_INVALID
 */
export function checkOptions(owner, fields, given) {
  checkValue(owner, 'options', object(), given);
  for (const name of Object.keys(/** @type {object} */ (given))) {
    if (Object.hasOwn(fields, name)) continue;
    const known = Object.keys(fields).join(', ') || 'none';
    const sentence = `${owner}: there is no option "${name.slice(0, 40)}". Options: ${known}.`;
    throw new PitvError('PITV_OPTION_INVALID', sentence, { details: { option: name } });
  }
  /** @type {Record<string, unknown>} */
  const checked = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = readOption(/** @type {object} */ (given), name);
    if (value !== undefined) checkValue(owner, name, field, value);
    const used = value === undefined ? field.fallback : value;
    if (used !== undefined) checked[name] = used;
  }
  return /** @type {any} */ (checked);
}
