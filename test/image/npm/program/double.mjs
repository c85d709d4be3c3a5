/** A task of a pool. @param {Uint8Array} bytes */
export default function double(bytes) {
  return bytes.map((byte) => 2 * byte);
}
