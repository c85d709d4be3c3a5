/** The command line of `make faults`, `make fleet-failures`, `make fuzz`, `make hostile` and `make soak`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { missingForFleet } from '../bench/harness/local-fleet.js';
import { root } from './support/test-files.js';

/** @type {Record<string, {options: string[], wrong: string[]}>} */
const DRIVERS = {
  faults: {
    options: ['COUNT', 'ENGINE', 'ONLY', 'SEED', 'NOTE'],
    wrong: ['COUNT=0', 'ENGINE=steam', 'CUONT=5'],
  },
  'fleet-failures': { options: ['COUNT', 'ONLY', 'NOTE'], wrong: ['COUNT=0.5', 'RUNS=5'] },
  fuzz: {
    options: ['MINUTES', 'RUNS', 'TARGET', 'AT', 'SEED', 'NOTE'],
    wrong: ['RUNS=many', 'TARGET=nothing', 'SEED='],
  },
  hostile: { options: ['ENGINE', 'ONLY', 'NOTE'], wrong: ['ENGINE=steam', '--only'] },
  soak: {
    options: ['MINUTES', 'ENGINE', 'SCREEN', 'SEED', 'NOTE'],
    wrong: ['MINUTES=-1', 'SEED=0.5', 'SCREEN=maybe', 'extra'],
  },
};
const run = (/** @type {string[]} */ ...args) =>
  spawnSync(process.execPath, ['test/drive.js', ...args], { cwd: root, encoding: 'utf8' });

for (const name of ['hostile', 'fleet-failures']) {
  test(
    `${name} fails if no name contains ONLY`,
    { skip: name !== 'hostile' && missingForFleet },
    () => {
      const { status, stdout } = run(name, 'ONLY=nothing');
      assert.equal(status, 1);
      assert.match(stdout, /^- FAILED: no (attack|failure) was run$/m);
    },
  );
}

for (const [name, { options, wrong }] of Object.entries(DRIVERS)) {
  describe(`test/drive.js ${name}`, () => {
    test('--help names every option', () => {
      const { status, stdout, stderr } = run(name, '--help');
      assert.deepEqual([status, stderr], [0, '']);
      assert.deepEqual(stdout.match(/(?<=^ {2})[A-Z]+/gm), options);
    });

    test('make passes its variables as options', () => {
      const { stdout } = spawnSync('make', ['-n', name, 'NOTE=a b'], {
        cwd: root,
        encoding: 'utf8',
      });
      assert.match(stdout, new RegExp(`node test/drive\\.js ${name} .*"NOTE=a b"`));
    });

    for (const option of wrong) {
      test(`"${option}" is an error of one line and exits with 2`, () => {
        const { status, stdout, stderr } = run(name, option);
        assert.deepEqual([status, stdout], [2, '']);
        assert.match(stderr, /^[^\n]+\n$/);
      });
    }
  });
}
