/** The kinds of values of settings. Each kind parses a text and describes the accepted values. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';

/**
 * @template T
 * @typedef {object} Kind
 * @property {string} value placeholder for the value in the help text
 * @property {string} range the accepted values, for the help text and error messages
 * @property {(text: string) => T} parse throws a RangeError for other values
 */

/** Names of address ranges that proxy-addr knows. */
const RANGES = Object.freeze(['loopback', 'linklocal', 'uniquelocal']);

/**
 * Accepts one of several words.
 * @template {string} T
 * @param {...T} words
 * @returns {Kind<T>}
 */
export const choice = (...words) => ({
  value: 'NAME',
  range: words.join(' | '),
  parse(text) {
    const word = words.find((each) => each === text);
    if (word === undefined) throw new RangeError();
    return word;
  },
});

/**
 * Accepts a whole number.
 * @param {number} min @param {number} max
 * @returns {Kind<number>}
 */
export const whole = (min, max) => ({
  value: 'N',
  range: `${min}..${max}`,
  parse(text) {
    const number = Number(text);
    if (!/^\d{1,9}$/.test(text) || number < min || number > max) throw new RangeError();
    return number;
  },
});

/**
 * Accepts a value of another kind, or a word.
 * @template T
 * @template {string} W
 * @param {Kind<T>} kind @param {W} word
 * @returns {Kind<T | W>}
 */
export const or = (kind, word) => ({
  value: kind.value,
  range: `${kind.range} | ${word}`,
  parse: (text) => (text === word ? word : kind.parse(text)),
});

/** Accepts an address or a name of this machine. @type {Kind<string>} */
export const host = {
  value: 'ADDRESS',
  range: 'an address or a name of this machine',
  parse(text) {
    if (!/^[A-Za-z0-9.:_%-]{1,255}$/.test(text)) throw new RangeError();
    return text;
  },
};

/** Accepts a language tag (BCP 47), or a locale. @type {Kind<string>} */
export const languageTag = {
  value: 'LANGUAGE',
  range: 'a language such as en or ko-KR',
  parse(text) {
    if (!/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(text)) throw new RangeError();
    return text.replaceAll('_', '-');
  },
};

/** Accepts a path. Its result is absolute. @type {Kind<string>} */
export const directory = {
  value: 'DIR',
  range: 'a directory, created if missing',
  parse(text) {
    if (text === '') throw new RangeError();
    return optionalPath(text);
  },
};

/**
 * Accepts a path or an empty text. Its result is absolute, or empty.
 * @param {'DIR' | 'FILE'} value
 * @param {string} name describes the path, with its article
 * @returns {Kind<string>}
 */
export const optional = (value, name) => ({
  value,
  range: `${name}, or empty`,
  parse: optionalPath,
});

/** Accepts a short text, also an empty one. @type {Kind<string>} */
export const name = {
  value: 'NAME',
  range: 'up to 64 characters, or empty',
  parse(text) {
    if (text.length > 64 || /[\0\n]/.test(text)) throw new RangeError();
    return text;
  },
};

/** @param {string} text */
function optionalPath(text) {
  if (text.includes('\0')) throw new RangeError();
  return text === '' ? '' : resolve(text);
}

/** @param {string} text @returns {string} scheme, host and port */
function parseOrigin(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new RangeError();
  }
  if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.username) {
    throw new RangeError();
  }
  return url.origin;
}

/** Accepts an address of the web, or an empty text. Its result ends with a slash. @type {Kind<string>} */
export const webAddress = {
  value: 'URL',
  range: 'an address of http or https, or empty',
  parse(text) {
    if (text === '') return '';
    if (!URL.canParse(text) || !/^https?:\/\/[^\s]+$/.test(text) || text.length > 1000)
      throw new RangeError();
    return text.endsWith('/') ? text : `${text}/`;
  },
};

/** Accepts the origin of a URL, or an empty text. @type {Kind<string>} */
export const origin = {
  value: 'URL',
  range: 'http(s)://name[:port], or empty',
  parse: (text) => (text === '' ? '' : parseOrigin(text)),
};

/** Accepts a list of origins. @type {Kind<string[]>} */
export const origins = {
  value: 'URL[,URL]',
  range: 'http(s)://name[:port], separated by commas, or empty',
  parse: (text) => (text === '' ? [] : text.split(',').map((each) => parseOrigin(each))),
};

/** @param {string} text */
function parseServer(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new RangeError();
  }
  const isServer = /^(nats|tls):$/.test(url.protocol) && url.hostname !== '' && !url.username;
  if (!isServer || !/^\/?$/.test(url.pathname) || url.search) throw new RangeError();
  return text;
}

/** Accepts a list of NATS servers. @type {Kind<string[]>} */
export const servers = {
  value: 'URL[,URL]',
  range: 'nats://host:port or tls://host:port, separated by commas, or empty',
  parse: (text) => (text === '' ? [] : text.split(',').map((each) => parseServer(each))),
};

/** @param {string} text an address, a CIDR range or the name of a range @returns {string} */
function parseRange(text) {
  if (RANGES.includes(text)) return text;
  const [address, bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) throw new RangeError();
  if (bits !== undefined) whole(1, family === 4 ? 32 : 128).parse(bits);
  return text;
}

/** Accepts a list of addresses, CIDR ranges and names of ranges. @type {Kind<string[]>} */
export const addressRanges = {
  value: 'ADDRESS[,ADDRESS]',
  range: `addresses or CIDR ranges (10.0.0.0/8), ${RANGES.join(', ')}, separated by commas, or empty`,
  parse: (text) => (text === '' ? [] : text.split(',').map((each) => parseRange(each))),
};
