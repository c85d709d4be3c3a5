/** Writes a temporary file, and kills its process. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';

export default {
  input: fc.nat(10),
  open: async () => {
    writeFileSync(join(tmpdir(), `left-${process.ppid}`), '');
    return {
      check: (/** @type {number[]} */ [input]) =>
        void (input === 7 && process.kill(process.pid, 'SIGSEGV')),
    };
  },
};
