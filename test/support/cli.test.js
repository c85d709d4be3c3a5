/** The command lines of `make faults`, `make fuzz` and `make soak`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** @type {Record<string, {options: string[], wrong: string[][]}>} */
const PROGRAMS = {
  faults: {
    options: ['--count', '--seed', '--engine', '--only', '--note'],
    wrong: [
      ['--count', '0'],
      ['--engine', 'steam'],
      ['--cuont', '5'],
    ],
  },
  fuzz: {
    options: ['--minutes', '--runs', '--target', '--seed', '--at'],
    wrong: [['--runs', 'many'], ['--target', 'nothing'], ['--seed']],
  },
  soak: {
    options: ['--minutes', '--seed', '--engine', '--screen', '--note'],
    wrong: [['--minutes', '-1'], ['--seed', '0.5'], ['--screen', 'maybe'], ['extra']],
  },
};

for (const [name, { options, wrong }] of Object.entries(PROGRAMS)) {
  const program = fileURLToPath(new URL(`../${name}/cli.js`, import.meta.url));
  const run = (/** @type {string[]} */ args) =>
    spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });

  describe(`test/${name}/cli.js`, () => {
    test('--help names every option and exits with 0', () => {
      const { status, stdout, stderr } = run(['--help']);
      assert.deepEqual([status, stderr], [0, '']);
      assert.deepEqual(
        [...new Set(stdout.match(/^ +--(?!help)\w+/gm)?.map((found) => found.trim()))],
        options,
      );
    });

    for (const args of wrong) {
      test(`${args.join(' ')} is an error of one line and exits with 2`, () => {
        const { status, stdout, stderr } = run(args);
        assert.deepEqual([status, stdout], [2, '']);
        assert.match(stderr, /^[^\n]+\n$/);
      });
    }
  });
}
