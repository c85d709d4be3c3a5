/**
 * The format of beats, frames and inputs, which nodes send to each other. Beats are JSON from the network, and checked
 * here. Frames and inputs are sent at most once, and the newest one wins:
 *
 *   frame   u32 epoch, u32 number, then the bytes of the frame
 *   inputs  u32 epoch, then for each slot: u8 slot, i32 word, u32 sequence number of the input
 *
 * The epoch of a match grows with each owner. Messages of another epoch are not used.
 */
import {
  anyText,
  boolean,
  integer,
  isWebAddress,
  like,
  list,
  number,
  object,
  optional,
  shape,
} from '../options.js';
import { SHA256 } from '../storage/checks.js';

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

const MAX_TEXT = 64;
const MAX_NODES = 256;
const MAX_MATCHES = 1024;
const MAX_ADDRESSES = 8;
const MAX_GAMES = 256;
const MAX_ADDRESS = 256;

/**
 * Version of what nodes send to each other and keep in buckets. Raise it with each change that a node of the version
 * before does not understand: nodes of different versions do not form a fleet.
 */
export const PROTOCOL = 4;

/** Describes the name of a node, a part of subjects and keys of NATS. */
export const NODE_NAME = like('a name of a node', /^[a-z0-9][a-z0-9-]{0,63}$/);
export const isNodeName = NODE_NAME.accepts;

/**
 * Describes an object with a property for each of some nodes.
 * @param {import('../options.js').Field} field @returns {import('../options.js').Field}
 */
const byNode = (field) => ({
  allowed: `by the name of a node, ${field.allowed}`,
  accepts: (value) =>
    object().accepts(value) &&
    Object.keys(value).length <= MAX_NODES &&
    Object.entries(value).every(([name, each]) => isNodeName(name) && field.accepts(each)),
});

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

const ADDRESSES = list(
  {
    allowed: 'an address',
    accepts: (value) =>
      anyText(MAX_ADDRESS).accepts(value) && URL.canParse(value) && isWebAddress(new URL(value)),
  },
  0,
  MAX_ADDRESSES,
);
const OFFER = shape({
  urls: ADDRESSES,
  games: list(shape({ id: anyText(MAX_TEXT), hash: SHA256 }), 0, MAX_GAMES),
});
/** Tells whether a value is what a node offers, also while it is away. @param {string} node @param {any} offer */
export const isOffer = (node, offer) => isNodeName(node) && OFFER.accepts(offer);

const SENDER = shape({ node: NODE_NAME, protocol: integer(1) });
const BEAT = shape({
  node: NODE_NAME,
  protocol: integer(PROTOCOL, PROTOCOL),
  start: integer(1),
  sequence: integer(1),
  heard: byNode(list(integer(0), 3, 3)),
  dead: byNode(integer(1)),
  about: shape({
    version: anyText(MAX_TEXT),
    urls: ADDRESSES,
    room: number(-MAX_MATCHES, MAX_MATCHES),
    matches: integer(0),
    max: integer(0),
    drains: boolean(),
    leased: boolean(),
    server: optional(anyText(MAX_ADDRESS)),
    wanted: list(integer(1), 0, MAX_MATCHES),
  }),
});

/** @param {import('../options.js').Field} field @param {Uint8Array} bytes @returns {any} undefined: it is none */
function parse(field, bytes) {
  try {
    const value = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return field.accepts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads who has sent a beat of any protocol.
 * @param {Uint8Array} bytes @returns {{node: string, protocol: number} | undefined} undefined: it is no beat
 */
export function senderOf(bytes) {
  const beat = parse(SENDER, bytes);
  return beat && { node: beat.node, protocol: beat.protocol };
}

/**
 * Parses a beat.
 * @param {Uint8Array} bytes
 * @returns {import('./membership.js').Beat | undefined} undefined: it is no beat, or one of another protocol
 */
export const parseBeat = (bytes) => parse(BEAT, bytes);
