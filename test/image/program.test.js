import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAMS = [
  'image/build.js',
  'image/container/build.js',
  'bench/board/run.js',
  'bench/board/boot-time.js',
  'image/qemu/cli.js',
  'image/release.js',
  'image/yocto/dist.js',
];
/** Wrong arguments, and what the program says. */
const WRONG = /** @type {[string, RegExp][]} */ ([
  ['image/build.js armfh', /^"armfh" is not one of armhf, armel, arm64\./],
  ['image/release.js npn', /^There is no part npn\./],
  ['image/build.js armhf armel', /^Use only one of armhf, armel, arm64\./],
  ['bench/board/run.js --times 0 -- --nonsense', /^--times must be a number, 1 or more\./],
  ['image/qemu/cli.js --port 65536', /^--port must be a number from 0 to 65535\./],
]);

/** @param {string} line program and arguments */
function run(line) {
  const [name, ...args] = line.split(' ');
  return spawnSync(process.execPath, [project + name, ...args], { encoding: 'utf8' });
}

test('each program has help, and reports usage errors before it does anything', () => {
  for (const name of PROGRAMS) {
    const { status, stdout, stderr } = run(`${name} --help`);
    assert.deepEqual([status, stderr], [0, ''], name);
    assert.match(stdout, /^Usage: /);
    const wrong = run(`${name} --nonsense`);
    assert.equal(wrong.status, 2, name);
    assert.equal(wrong.stderr, `Unknown option '--nonsense'.\n\n${stdout}`);
  }
  for (const [line, message] of WRONG) {
    const { status, stderr } = run(line);
    assert.equal(status, 2, stderr);
    assert.match(stderr, message);
  }
});
