/** Leaks a descriptor and a buffer with each input. */
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';

/** @type {Buffer[]} */
const kept = [];

export default {
  name: 'leaks',
  seconds: 2,
  input: fc.nat(10),
  open: async () => ({
    async check() {
      await sleep(10); // otherwise the process runs out of descriptors
      openSync('/dev/null', 'r');
      kept.push(Buffer.alloc(1024 * 1024));
    },
  }),
};
