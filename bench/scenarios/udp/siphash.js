/**
 * Computes SipHash-2-4, a keyed hash for short messages (Aumasson, Bernstein 2012,
 * https://www.aumasson.jp/siphash/siphash.pdf). Node's crypto does not have it, and an HMAC takes tens of times as
 * long.
 */

const KEY_BYTES = 16;

/**
 * State of four 64-bit words, low half first. It is shared by all calls, so that hashing allocates nothing.
 * @type {Int32Array}
 */
const v = new Int32Array(8);

/** Computes v[a] += v[b] with 64-bit words. @param {number} a @param {number} b */
function add(a, b) {
  const low = (v[a] >>> 0) + (v[b] >>> 0);
  v[a + 1] += v[b + 1] + (low > 0xffffffff ? 1 : 0);
  v[a] = low;
}

/** Computes v[a] = rotate(v[a], bits) ^ v[b]. @param {number} a @param {number} bits 1..31 @param {number} b */
function turn(a, bits, b) {
  const low = v[a];
  const high = v[a + 1];
  v[a] = ((low << bits) | (high >>> (32 - bits))) ^ v[b];
  v[a + 1] = ((high << bits) | (low >>> (32 - bits))) ^ v[b + 1];
}

/** Computes v[a] = rotate(v[a], 32). @param {number} a */
function swap(a) {
  const low = v[a];
  v[a] = v[a + 1];
  v[a + 1] = low;
}

/** @param {number} count */
function rounds(count) {
  for (; count > 0; count--) {
    add(0, 2);
    turn(2, 13, 0);
    swap(0);
    add(4, 6);
    turn(6, 16, 4);
    add(0, 6);
    turn(6, 21, 0);
    add(4, 2);
    turn(2, 17, 4);
    swap(4);
  }
}

/** @param {number} low @param {number} high */
function word(low, high) {
  v[6] ^= low;
  v[7] ^= high;
  rounds(2);
  v[0] ^= low;
  v[1] ^= high;
}

/** @param {Uint8Array} bytes @param {number} at @returns {number} int32, little-endian */
const int32 = (bytes, at) =>
  bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);

/**
 * Hashes bytes.
 * @param {Uint8Array} key 16 bytes
 * @param {Uint8Array} bytes
 * @param {number} [length] number of bytes to hash, 0..bytes.length
 * @param {{low: number, high: number}} [result] filled in and returned
 * @returns {{low: number, high: number}} the halves of the 64-bit hash, uint32. Its bytes are those of the low half,
 *   then those of the high half, little-endian
 * @throws {RangeError} if the key has another length
 */
export function siphash24(key, bytes, length = bytes.length, result = { low: 0, high: 0 }) {
  if (key.length !== KEY_BYTES) throw new RangeError(`A key has ${KEY_BYTES} bytes.`);
  const [k0, k1, k2, k3] = [int32(key, 0), int32(key, 4), int32(key, 8), int32(key, 12)];
  v[0] = k0 ^ 0x70736575;
  v[1] = k1 ^ 0x736f6d65;
  v[2] = k2 ^ 0x6e646f6d;
  v[3] = k3 ^ 0x646f7261;
  v[4] = k0 ^ 0x6e657261;
  v[5] = k1 ^ 0x6c796765;
  v[6] = k2 ^ 0x79746573;
  v[7] = k3 ^ 0x74656462;
  const whole = length & ~7;
  for (let at = 0; at < whole; at += 8) word(int32(bytes, at), int32(bytes, at + 4));
  let low = 0;
  let high = length << 24;
  for (let i = whole; i < length; i++) {
    const shift = (i & 3) * 8;
    if ((i & 7) < 4) low |= bytes[i] << shift;
    else high |= bytes[i] << shift;
  }
  word(low, high);
  v[4] ^= 0xff;
  rounds(4);
  result.low = (v[0] ^ v[2] ^ v[4] ^ v[6]) >>> 0;
  result.high = (v[1] ^ v[3] ^ v[5] ^ v[7]) >>> 0;
  return result;
}
