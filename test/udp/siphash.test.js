import assert from 'node:assert/strict';
import test from 'node:test';
import { siphash24 } from '../../app/udp/siphash.js';

const key = Uint8Array.from({ length: 16 }, (_, i) => i);
const message = Uint8Array.from({ length: 64 }, (_, i) => i);

/** @param {number} length */
function hash(length) {
  const { low, high } = siphash24(key, message, length);
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(low, 0);
  bytes.writeUInt32LE(high, 4);
  return bytes.toString('hex');
}

test("the authors' test vectors (github.com/veorq/SipHash, vectors.h)", () => {
  assert.equal(hash(0), '310e0edd47db6f72');
  assert.equal(hash(1), 'fd67dc93c539f874');
  assert.equal(hash(2), '5a4fa9d909806c0d');
  assert.equal(hash(7), '37d1018bf50002ab');
  assert.equal(hash(8), '6224939a79f5f593');
  assert.equal(hash(15), 'e545be4961ca29a1');
  assert.equal(hash(63), '724506eb4c328a95');
});

test('another key, and any other byte, give another hash', () => {
  const { low, high } = siphash24(key, message, 24);
  for (let i = 0; i < 24; i++) {
    const other = message.slice();
    other[i] ^= 1;
    assert.notDeepEqual(siphash24(key, other, 24), { low, high }, `byte ${i}`);
  }
  for (let i = 0; i < 16; i++) {
    const other = key.slice();
    other[i] ^= 0x80;
    assert.notDeepEqual(siphash24(other, message, 24), { low, high }, `key byte ${i}`);
  }
});

test('a key of another length is refused', () => {
  assert.throws(() => siphash24(key.subarray(1), message), RangeError);
});
