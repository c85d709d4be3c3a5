/** A target with planted failures, for tests of the fuzzer. PITV_PLANTED chooses one. */
import assert from 'node:assert/strict';
import { openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';

/** @type {Buffer[]} */
const kept = [];

/** @type {Record<string, (input: number) => unknown>} */
const FAILURES = {
  /** Fails at inputs from 500 on, so that 500 is the smallest counterexample. */
  throws: (input) => assert.ok(input < 500),
  /** Throws outside of the check, like a callback of a server. */
  async stray(input) {
    if (input === 7) {
      setImmediate(() => {
        throw new Error('nobody catches this');
      });
    }
    await turn();
    await turn();
  },
  dies: (input) => input === 7 && process.kill(process.pid, 'SIGSEGV'),
  leaks() {
    openSync('/dev/null', 'r');
    kept.push(Buffer.alloc(1024 * 1024));
  },
};

const { PITV_PLANTED: name = '' } = process.env;

/** @type {import('./run-target.js').Target<number>} */
export default {
  input: fc.nat(name === 'throws' ? 1000 : 10),
  async open() {
    writeFileSync(join(tmpdir(), `left-${process.ppid}`), '');
    return { check: async ([input]) => void (await FAILURES[name](input)) };
  },
};
