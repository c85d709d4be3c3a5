/** Fails at inputs from 500 on, so that 500 is the smallest counterexample. */
import assert from 'node:assert/strict';
import fc from 'fast-check';

export default {
  input: fc.nat(1000),
  open: async () => ({
    check: (/** @type {number[]} */ inputs) => inputs.forEach((each) => assert.ok(each < 500)),
  }),
};
