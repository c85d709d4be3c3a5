/**
 * The format of beats, frames and inputs, which nodes send to each other. Beats are JSON from the network, and checked
 * here. Frames and inputs are sent at most once, and the newest one wins:
 *
 *   frame   u32 epoch, u32 number, then the bytes of the frame
 *   inputs  u32 epoch, then for each slot: u8 slot, i32 word, u32 sequence number of the input
 *
 * The epoch of a match grows with each owner. Messages of another epoch are not used.
 */
import { like } from '../options.js';
import { isList, isObject, isText, isWhole } from '../storage/checks.js';

const FRAME_HEAD_BYTES = 8;
const INPUT_HEAD_BYTES = 4;
const INPUT_BYTES = 9;
/** A slot is one byte. */
const MAX_INPUTS = 256;

/** @typedef {{slot: number, word: number, sequence: number}} SlotInput */

/** @param {number} epoch @param {number} number of the frame @param {Uint8Array} bytes @returns {Uint8Array} a copy */
export function encodeFrame(epoch, number, bytes) {
  const message = Buffer.allocUnsafe(FRAME_HEAD_BYTES + bytes.length);
  message.writeUInt32LE(epoch, 0);
  message.writeUInt32LE(number >>> 0, 4);
  message.set(bytes, FRAME_HEAD_BYTES);
  return message;
}

/**
 * @param {Uint8Array} message
 * @returns {{epoch: number, number: number, bytes: Uint8Array} | undefined} undefined: it is none
 */
export function decodeFrame(message) {
  if (message.length < FRAME_HEAD_BYTES) return undefined;
  const view = viewOf(message);
  return {
    epoch: view.getUint32(0, true),
    number: view.getUint32(4, true),
    bytes: message.subarray(FRAME_HEAD_BYTES),
  };
}

/** @param {number} epoch @param {SlotInput[]} inputs @returns {Uint8Array} */
export function encodeInputs(epoch, inputs) {
  const message = Buffer.allocUnsafe(INPUT_HEAD_BYTES + inputs.length * INPUT_BYTES);
  message.writeUInt32LE(epoch, 0);
  inputs.forEach(({ slot, word, sequence }, i) => {
    const at = INPUT_HEAD_BYTES + i * INPUT_BYTES;
    message.writeUInt8(slot, at);
    message.writeInt32LE(word, at + 1);
    message.writeUInt32LE(sequence >>> 0, at + 5);
  });
  return message;
}

/** @param {Uint8Array} message @returns {{epoch: number, inputs: SlotInput[]} | undefined} undefined: it is none */
export function decodeInputs(message) {
  const count = (message.length - INPUT_HEAD_BYTES) / INPUT_BYTES;
  if (!Number.isInteger(count) || count < 0 || count > MAX_INPUTS) return undefined;
  const view = viewOf(message);
  const inputs = Array.from({ length: count }, (_none, i) => {
    const at = INPUT_HEAD_BYTES + i * INPUT_BYTES;
    return {
      slot: view.getUint8(at),
      word: view.getInt32(at + 1, true),
      sequence: view.getUint32(at + 5, true),
    };
  });
  return { epoch: view.getUint32(0, true), inputs };
}

/** @param {Uint8Array} bytes */
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

// Beats.

const MAX_NAME = 64;
const MAX_NODES = 256;
const MAX_MATCHES = 1024;
const MAX_ADDRESSES = 8;
const MAX_ADDRESS = 256;

/**
 * Version of what nodes send to each other and keep in buckets. Raise it with each change that a node of the version
 * before does not understand: nodes of different versions do not form a fleet.
 */
export const PROTOCOL = 2;

/** Describes the name of a node, a part of subjects and keys of NATS. */
export const NODE_NAME = like('a name of a node', /^[a-z0-9][a-z0-9-]{0,63}$/);
export const isNodeName = NODE_NAME.accepts;
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
 * @property {string} [server] host and port of the nats-server that it uses
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
  (about.server === undefined || isText(about.server, MAX_ADDRESS)) &&
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
 * @param {Uint8Array} bytes @returns {{node: string, protocol: number} | undefined} undefined: it is no beat
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
