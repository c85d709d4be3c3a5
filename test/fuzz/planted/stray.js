/** Throws outside of the check, like a callback of a server. */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';

export default {
  input: fc.nat(10),
  open: async () => ({
    async check(/** @type {number[]} */ [input]) {
      if (input === 7) {
        setImmediate(() => {
          throw new Error('nobody catches this');
        });
      }
      await turn();
      await turn();
    },
  }),
};
