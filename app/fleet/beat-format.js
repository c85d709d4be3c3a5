/** Checks beats that come from the network, and tells which protocol their sender speaks. */
import { isList, isObject, isText, isWhole } from '../storage/checks.js';

const MAX_NAME = 64;
const MAX_NODES = 256;
const MAX_MATCHES = 1024;
const MAX_ADDRESSES = 8;
const MAX_ADDRESS = 256;

/**
 * Version of what nodes send to each other and keep in buckets. Raise it with each change that a node of the version
 * before does not understand: nodes of different versions do not form a fleet.
 */
export const PROTOCOL = 1;

/** Tells whether a value may be the name of a node, a part of subjects and keys of NATS. @param {unknown} name */
export const isNodeName = (name) =>
  typeof name === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/.test(name);
/** @param {unknown} object @param {(value: any) => boolean} isValue */
const isMap = (object, isValue) =>
  isObject(object) &&
  isList(Object.entries(object), MAX_NODES, ([name, value]) => isNodeName(name) && isValue(value));
const HEARD_FIELDS = 3;
/** @param {any} heard */
const isHeard = (heard) =>
  isList(heard, HEARD_FIELDS, (each) => isWhole(each, 0)) && heard.length === HEARD_FIELDS;

/**
 * @typedef {object} AboutNode what a node tells about itself
 * @property {string} version of pitv
 * @property {string[]} urls addresses for phones
 * @property {number} room for further matches, see nodes.js
 * @property {number} matches how many it runs
 * @property {number} max how many it can run
 * @property {boolean} drains it takes no more matches
 * @property {boolean} leased it holds the lease
 * @property {number[]} wanted ids of the matches that its screens show, and of those of other nodes that its phones
 *   play
 */

/** Tells whether a value is the list of the addresses of a node. @param {string} node @param {any} urls */
export const isAddressList = (node, urls) =>
  isNodeName(node) &&
  isList(urls, MAX_ADDRESSES, (url) => isText(url, MAX_ADDRESS) && URL.canParse(url));

/** @param {any} about */
const isAbout = (about) =>
  isObject(about) &&
  isText(about.version, MAX_NAME) &&
  isList(about.urls, MAX_ADDRESSES, (url) => isText(url, MAX_ADDRESS)) &&
  Number.isFinite(about.room) &&
  isWhole(about.matches, 0) &&
  isWhole(about.max, 0) &&
  typeof about.drains === 'boolean' &&
  typeof about.leased === 'boolean' &&
  isList(about.wanted, MAX_MATCHES, (id) => isWhole(id, 1));

/** @param {Uint8Array} bytes @returns {any} undefined: it is no JSON */
function parseJson(bytes) {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Reads who has sent a beat of any protocol.
 * @param {Uint8Array} bytes
 * @returns {{node: string, protocol: number} | undefined} undefined: it is no beat
 */
export function senderOf(bytes) {
  const beat = parseJson(bytes);
  const isBeat = isObject(beat) && isNodeName(beat.node) && isWhole(beat.protocol, 1);
  return isBeat ? { node: String(beat.node), protocol: Number(beat.protocol) } : undefined;
}

/**
 * Parses a beat.
 * @param {Uint8Array} bytes
 * @returns {import('./membership.js').Beat | undefined} undefined: it is no beat, or one of another protocol
 */
export function parseBeat(bytes) {
  const beat = parseJson(bytes);
  const isBeat =
    isObject(beat) &&
    beat.protocol === PROTOCOL &&
    isNodeName(beat.node) &&
    isWhole(beat.start, 1) &&
    isWhole(beat.sequence, 1) &&
    isMap(beat.heard, isHeard) &&
    isMap(beat.dead, (start) => isWhole(start, 1)) &&
    isAbout(beat.about);
  return isBeat ? /** @type {any} */ (beat) : undefined;
}
