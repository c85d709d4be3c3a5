import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const image = fileURLToPath(new URL('../../image/', import.meta.url));
const PROGRAMS = [
  'build.js',
  'container/build.js',
  'qemu/bench.js',
  'qemu/boot-time.js',
  'qemu/cli.js',
  'release.js',
  'yocto/dist.js',
];

/** @param {string} name @param {string[]} args */
function run(name, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [image + name, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('each program has help, and reports usage errors before it does anything', () => {
  for (const name of PROGRAMS) {
    const { status, stdout, stderr } = run(name, '--help');
    assert.deepEqual([status, stderr], [0, ''], name);
    assert.match(stdout, /^Usage: /);
    const wrong = run(name, '--nonsense');
    assert.equal(wrong.status, 2, name);
    assert.equal(wrong.stderr, `Unknown option '--nonsense'.\n\n${stdout}`);
  }
});

test('unknown boards and invalid numbers are rejected', () => {
  for (const [args, message] of /** @type {const} */ ([
    [['build.js', 'armfh'], /^"armfh" is not one of armhf, armel, arm64\./],
    [['release.js', 'npn'], /^There is no part npn\./],
    [['build.js', 'armhf', 'armel'], /^Use only one of armhf, armel, arm64\./],
    [
      ['qemu/bench.js', '--times', '0', '--', '--nonsense'],
      /^--times must be a number, 1 or more\./,
    ],
    [['qemu/cli.js', '--port', '65536'], /^--port must be a number from 0 to 65535\./],
  ])) {
    const [name, ...more] = args;
    const { status, stderr } = run(name, ...more);
    assert.equal(status, 2, stderr);
    assert.match(stderr, message);
  }
});
