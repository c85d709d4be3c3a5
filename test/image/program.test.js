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

/** @param {string} name @param {string[]} args */
function run(name, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [project + name, ...args], {
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
    [['image/build.js', 'armfh'], /^"armfh" is not one of armhf, armel, arm64\./],
    [['image/release.js', 'npn'], /^There is no part npn\./],
    [['image/build.js', 'armhf', 'armel'], /^Use only one of armhf, armel, arm64\./],
    [
      ['bench/board/run.js', '--times', '0', '--', '--nonsense'],
      /^--times must be a number, 1 or more\./,
    ],
    [['image/qemu/cli.js', '--port', '65536'], /^--port must be a number from 0 to 65535\./],
  ])) {
    const [name, ...more] = args;
    const { status, stderr } = run(name, ...more);
    assert.equal(status, 2, stderr);
    assert.match(stderr, message);
  }
});
