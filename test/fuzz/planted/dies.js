/** Takes its process down. */
import fc from 'fast-check';

export default {
  name: 'dies',
  seconds: 2,
  input: fc.nat(10),
  open: async () => ({
    check: (/** @type {number[]} */ [input]) =>
      void (input === 7 && process.kill(process.pid, 'SIGSEGV')),
  }),
};
