/**
 * Encodes orders for a zygote and requests for its children, and decodes the zygote's replies. native/zygote/zygote.h
 * has the same layout. All numbers are in the machine's byte order, since all are on one machine.
 */
import os from 'node:os';
import { PitvError } from '../../errors.js';

const REQUEST_BYTES = 48;
export const REPLY_BYTES = 24;
const NAME_BYTES = 15; // and a zero byte, prctl(2) PR_SET_NAME
/** A niceness that leaves the zygote's. */
const UNCHANGED = -0x80000000;

export const REPLY = Object.freeze({ forked: 1, failed: 2, exited: 3 });

/** Encodes an order. @param {number} id @param {boolean} ahead whether there is no request yet @returns {Buffer} */
export const encodeOrder = (id, ahead) => Buffer.from(Uint32Array.of(id, Number(ahead)).buffer);

/**
 * Encodes a request.
 * @param {number} id
 * @param {Pick<import('./options.js').ForkOptions, 'name' | 'niceness' | 'cpus' | 'memoryMb'>} options
 * @param {number} stdio bit n is set if one of the descriptors becomes the child's descriptor n
 * @param {number} descriptors number of descriptors sent with the request
 * @returns {Buffer}
 */
export function encodeRequest(id, options, stdio, descriptors) {
  const { name = '', niceness = UNCHANGED, cpus = [], memoryMb = 0 } = options;
  const request = new ArrayBuffer(REQUEST_BYTES);
  new Int32Array(request).set([id, niceness, stdio, descriptors]);
  const cpuBits = cpus.reduce((bits, cpu) => bits | (1n << BigInt(cpu)), 0n);
  new BigUint64Array(request, 16).set([cpuBits, BigInt(memoryMb * 1024 * 1024)]);
  const bytes = Buffer.from(request);
  bytes.write(name, 32, NAME_BYTES, 'utf8');
  return bytes;
}

/**
 * @typedef {object} Reply
 * @property {number} kind one of REPLY
 * @property {number} id forked and failed: of the order
 * @property {number} pid
 * @property {number} value failed: errno; exited: exit status, or the negative signal number
 * @property {number} cpuMs exited: CPU time
 * @property {number} peakKib exited: maximum resident memory
 */

/** Decodes a reply. @param {Buffer} bytes REPLY_BYTES long @returns {Reply} */
function decodeReply(bytes) {
  const [kind, id, pid, value, cpuMs, peakKib] = new Uint32Array(new Uint8Array(bytes).buffer);
  return { kind, id, pid, value: value | 0, cpuMs, peakKib };
}

/**
 * Creates a function that splits a stream of bytes into replies.
 * @param {(reply: Reply) => void} onReply
 * @returns {(chunk: Buffer) => void}
 */
export function createReplyReader(onReply) {
  /** @type {Buffer} */
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    while (rest.length >= REPLY_BYTES) {
      const reply = decodeReply(rest.subarray(0, REPLY_BYTES));
      rest = rest.subarray(REPLY_BYTES);
      onReply(reply);
    }
  };
}

/**
 * @typedef {object} ForkedExit
 * @property {number | null} code exit status; null: ended by a signal, or unknown (see orphaned)
 * @property {NodeJS.Signals | null} signal
 * @property {boolean} orphaned the child's zygote had died, so the system reported no exit status: `code` is the one
 *   that the child announced itself, `signal` the one that kill() sent
 * @property {Error} [error] the uncaught error of the module, with its stack; or PITV_ZYGOTE_MESSAGE if a message of
 *   the child could not be read
 * @property {number} cpuMs CPU time; 0 if unknown
 * @property {number} peakKib maximum resident memory; 0 if unknown
 */

/** @type {Map<number, NodeJS.Signals>} of two names of a number the first one counts: SIGABRT, not SIGIOT */
const SIGNAL_NAMES = new Map(
  Object.entries(os.constants.signals)
    .reverse()
    .map(([name, number]) => [number, /** @type {NodeJS.Signals} */ (name)]),
);

/** Reads the zygote's report of a child's exit. @param {Reply} reply @returns {ForkedExit} */
export function exitFromReply({ value, cpuMs, peakKib }) {
  const signal = value < 0 ? (SIGNAL_NAMES.get(-value) ?? null) : null;
  return { code: value < 0 ? null : value, signal, orphaned: false, cpuMs, peakKib };
}

/**
 * Describes the exit of a child without a report.
 * @param {number | undefined} announcedCode
 * @param {NodeJS.Signals | undefined} sentSignal
 * @returns {ForkedExit}
 */
export function exitOfOrphan(announcedCode, sentSignal) {
  const code = announcedCode ?? null;
  const signal = code === null ? (sentSignal ?? null) : null;
  return { code, signal, orphaned: true, cpuMs: 0, peakKib: 0 };
}

/** @param {string} end signal or exit status */
export function endedEarly(end) {
  const sentence = `The child ended with ${end} before the module's code ran.`;
  return new PitvError('PITV_ZYGOTE_CHILD', sentence);
}
