/** Opens a file with each input, and keeps something of it. */
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
      await sleep(10); // or the process would run out of descriptors
      openSync('/dev/null', 'r');
      kept.push(Buffer.alloc(1024 * 1024));
    },
  }),
};
