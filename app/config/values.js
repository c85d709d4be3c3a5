/** The kinds of values of settings. Each kind parses a text and describes the accepted values. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { PitvError } from '../errors.js';
import { CODE } from '../lobby/join-code.js';
import { isWebAddress } from '../options.js';

/**
 * @template T
 * @typedef {object} Kind
 * @property {string} value placeholder for the value in the help text
 * @property {string} range the accepted values, for the help text and error messages
 * @property {string} defaultValue
 * @property {(text: string) => T | null} parse returns null for other values
 */

/**
 * Makes a kind of value.
 * @template T
 * @param {string} value @param {string} range @param {Kind<T>['parse']} parse see Kind
 * @param {string} [defaultValue] @returns {Kind<T>}
 */
const kind = (value, range, parse, defaultValue = '') => ({ value, range, defaultValue, parse });

/**
 * Accepts a value of another kind, or an empty text, which is the default.
 * @template T
 * @param {Kind<T>} kind @param {T} empty the value of an empty text @returns {Kind<T>}
 */
const orEmpty = ({ value, range, parse }, empty) => ({
  value,
  range: `${range}, or empty`,
  parse: (text) => (text === '' ? empty : parse(text)),
  defaultValue: '',
});

/**
 * Accepts a list, which may be empty.
 * @param {string} value @param {string} range see Kind @param {(text: string) => string | null} parse parses an element
 */
const list = (value, range, parse) => {
  const parseAll = (/** @type {string} */ text) => {
    const all = text.split(',').map(parse);
    return all.every((each) => each !== null) ? all : null;
  };
  return orEmpty(kind(value, range, parseAll), []);
};

/** Accepts one of several words, by default the first one. @template {string} T @param {...T} words */
export const choice = (...words) =>
  kind('NAME', words.join(' | '), (text) => words.find((each) => each === text) ?? null, words[0]);

/** Accepts a whole number. @param {number} min @param {number} max @param {number} [defaultValue] */
export const whole = (min, max, defaultValue = min) => {
  const parse = (/** @type {string} */ text) => {
    const number = Number(text);
    return /^-?\d{1,10}$/.test(text) && number >= min && number <= max ? number : null;
  };
  return kind('N', `${min}..${max}`, parse, String(defaultValue));
};

/**
 * Accepts a value of another kind, or a word, which is the default.
 * @template T
 * @template {string} W
 * @param {Kind<T>} kind @param {W} word @returns {Kind<T | W>}
 */
export const or = (kind, word) => ({
  value: kind.value,
  range: `${kind.range} | ${word}`,
  defaultValue: word,
  parse: (text) => (text === word ? word : kind.parse(text)),
});

/** Accepts an address or a name of this machine. */
export const host = kind(
  'ADDRESS',
  'an address or a name of this machine',
  (text) => (/^[A-Za-z0-9.:_%-]{1,255}$/.test(text) ? text : null),
  '0.0.0.0',
);

/** Accepts a language tag (BCP 47), or a locale. */
export const languageTag = kind('LANGUAGE', 'a language such as en or ko-KR', (text) =>
  /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(text) ? text.replaceAll('_', '-') : null,
);

/** @param {string} text a path */
function absolutePath(text) {
  if (text.includes('\0') || text === '') return null;
  try {
    return resolve(text);
  } catch {
    return null; // the working directory has been deleted
  }
}

/** Accepts a path. Its result is absolute. */
export const directory = kind('DIR', 'a directory, created if missing', absolutePath);

/** Accepts a path, which becomes absolute, or an empty text. @param {'DIR' | 'FILE'} value @param {string} name */
export const optional = (value, name) => orEmpty(kind(value, name, absolutePath), '');

/** Accepts a short text, also an empty one. */
export const name = orEmpty(
  kind('NAME', 'up to 64 characters', (text) => (/^[^\0\n]{1,64}$/.test(text) ? text : null)),
  '',
);

/** @param {string} text @returns {URL | null} */
const parseUrl = (text) => (URL.canParse(text) ? new URL(text) : null);

/** @param {string} text @returns {string | null} scheme, host and port */
function parseOrigin(text) {
  const url = parseUrl(text);
  if (!url || !isWebAddress(url)) return null;
  return url.pathname !== '/' || url.search || url.username ? null : url.origin;
}

/** Accepts an address of the web, or an empty text. Its result ends with a slash. */
export const webAddress = orEmpty(
  kind('URL', 'an address of http or https', (text) => {
    if (!parseUrl(text) || !/^https?:\/\/[^\s]+$/.test(text) || text.length > 1000) return null;
    return text.endsWith('/') ? text : `${text}/`;
  }),
  '',
);

/** Accepts the origin of a URL, or an empty text. */
export const origin = orEmpty(kind('URL', 'http(s)://name[:port]', parseOrigin), '');

/** Accepts a list of origins. */
export const origins = list('URL[,URL]', 'http(s)://name[:port], separated by commas', parseOrigin);

/** Accepts a part of the day, or an empty text. Its result is in minutes since midnight. */
export const hours = orEmpty(
  kind('HH:MM-HH:MM', 'two times of the day such as 17:00-02:00', (text) => {
    const [, ...parts] = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
    const [hour, minute, toHour, toMinute] = parts.map(Number);
    const [from, to] = [hour * 60 + minute, toHour * 60 + toMinute];
    return parts.length === 0 || from === to ? null : { from, to };
  }),
  undefined,
);

/** Accepts a join code, or an empty text. */
export const joinCode = orEmpty(
  kind(
    'CODE',
    'five letters and digits such as K7PQX, without A, E, I, L, O, U, V, 0 and 1',
    (text) => (CODE.test(text.toUpperCase()) ? text.toUpperCase() : null),
  ),
  undefined,
);

/** Accepts a list of NATS servers. */
export const servers = list(
  'URL[,URL]',
  'nats://host:port or tls://host:port, separated by commas',
  (text) => {
    const url = parseUrl(text);
    if (!url || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '') return null;
    return url.username || url.search || !/^\/?$/.test(url.pathname) ? null : text;
  },
);

/** Names of address ranges that proxy-addr knows. */
const RANGES = Object.freeze(['loopback', 'linklocal', 'uniquelocal']);

/** Accepts a list of addresses, CIDR ranges and names of ranges. */
export const addressRanges = list(
  'ADDRESS[,ADDRESS]',
  `addresses or CIDR ranges (10.0.0.0/8), ${RANGES.join(', ')}, separated by commas`,
  (text) => {
    if (RANGES.includes(text)) return text;
    const [address, bits, ...rest] = text.split('/');
    const family = isIP(address);
    if (family === 0 || address.includes('%') || rest.length > 0) return null;
    const isRange = bits !== undefined;
    return isRange && whole(1, family === 4 ? 32 : 128).parse(bits) === null ? null : text;
  },
);

/**
 * Parses a value.
 * @template T
 * @param {string} source the option or environment variable, for the error
 * @param {Pick<Kind<T>, 'parse' | 'range'>} kind @param {string} text @throws {PitvError} PITV_USAGE
 */
export function parseValue(source, { parse, range }, text) {
  const value = parse(text);
  if (value !== null) return value;
  throw new PitvError('PITV_USAGE', `${source} must be ${range}, not "${text.slice(0, 80)}".`);
}
