/** Leaks a descriptor and a buffer with each input. */
import { openSync } from 'node:fs';
import fc from 'fast-check';

/** @type {Buffer[]} */
const kept = [];

export default {
  input: fc.nat(10),
  open: async () => ({
    async check() {
      openSync('/dev/null', 'r');
      kept.push(Buffer.alloc(1024 * 1024));
    },
  }),
};
