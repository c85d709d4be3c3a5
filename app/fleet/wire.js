/**
 * The messages that carry frames and inputs between nodes. Both are sent at most once, and the newest one wins.
 *
 *   frame   u32 epoch, u32 number, then the bytes of the frame
 *   inputs  u32 epoch, then for each slot: u8 slot, i32 word, u32 sequence number of the input
 *
 * The epoch of a match grows with each owner. Messages of another epoch are not used.
 */
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
