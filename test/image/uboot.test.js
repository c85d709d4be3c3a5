/** Tests the code that moves U-Boot: its words are decoded and followed. updates.js starts U-Boot with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMover } from '../../image/qemu/uboot.js';

const LOADED_AT = 0x10000;

test('the program is copied word by word to its address, and starts there', () => {
  const program = Buffer.from('a program of 30 bytes, not 4·n');
  const image = withMover(program, 0x8000);
  const word = (/** @type {number} */ at) => image.readUInt32LE(at - LOADED_AT);
  // b: a signed count of words from the second instruction after it
  const branch = word(LOADED_AT);
  assert.equal(branch >>> 24, 0xea);
  const mover = LOADED_AT + 8 + 4 * (branch & 0xffffff);
  // ldr rd, [pc, #offset]: pc is the second instruction after it
  const literal = (/** @type {number} */ at, /** @type {number} */ register) => {
    assert.equal(word(at) & 0xfffff000, (0xe59f0000 | (register << 12)) & 0xfffff000);
    return word(at + 8 + (word(at) & 0xfff));
  };
  const from = literal(mover, 4);
  const to = literal(mover + 4, 5);
  const end = literal(mover + 8, 6);
  assert.equal(literal(mover + 28, 15), to);
  assert.equal(to, 0x8000);
  const copied = image.subarray(from - LOADED_AT, end - LOADED_AT);
  assert.deepEqual(copied.subarray(0, program.length), program);
  assert.ok(copied.length - program.length < 4);
  assert.ok(mover >= end, 'the code is not part of what is copied');
  assert.ok(to + copied.length < mover, 'the copy ends before the code');
});
