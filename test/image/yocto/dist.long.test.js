/** The archive for BitBake is reproducible, its addons compile for Arm, and the TV in it runs. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, test } from 'node:test';
import { makeDist } from '../../../image/yocto/dist.js';
import { nodeVersions } from '../../nodes.js';
import { CC, compileAddons, noCompiler } from './addons.js';
import { temporaryFolder } from '../../support/folders.js';

/**
 * BitBake's settings for the Pi 1. The compiler's own start files are left out, because Debian's are made for ARMv7
 * and would mark the file so.
 */
const ARMV6 = {
  CC,
  CFLAGS: '-O2 -marm -march=armv6kz+fp -mfloat-abi=hard',
  LDFLAGS: '-nostdlib',
};
const ARMV7 = { CC, CFLAGS: '-O2 -march=armv7-a+fp -mfloat-abi=hard' };

const work = temporaryFolder();
/** @type {Awaited<ReturnType<typeof makeDist>>} */
let dist;
/** @type {string} unpacked */
let app;

before(async () => {
  dist = await makeDist({ out: join(work, 'one') });
  execFileSync('tar', ['-xJf', dist.archive, '-C', work]);
  app = join(work, `pitv-${dist.version}`);
});

test('a second archive, made with another umask, has the same bytes', async () => {
  const umask = process.umask(0o077);
  try {
    const second = await makeDist({ out: join(work, 'two') });
    assert.equal(second.sha256, dist.sha256);
  } finally {
    process.umask(umask);
  }
});

test('the addons compile for ARMv7', { skip: noCompiler }, () => {
  for (const output of compileAddons(app, ARMV7)) assert.match(output, /Tag_CPU_arch: v7/);
});

test('the addons compile for ARMv6', { skip: noCompiler }, () => {
  for (const output of compileAddons(app, ARMV6)) {
    assert.match(output, /Machine: +ARM/);
    assert.match(output, /Tag_CPU_arch: v6/);
    assert.match(output, /Tag_ABI_VFP_args: VFP registers/);
  }
});

const arm = nodeVersions().find(({ name }) => name.includes('arm'));
const skip = noCompiler || arm?.skip;

test('the unpacked app runs with a 32-bit Arm Node.js', { skip }, async () => {
  const [program, ...args] = arm?.command ?? [];
  const serve = ['serve', '--port', '0', '--host', '127.0.0.1', '--engine', 'thread'];
  const data = join(work, 'data');
  const tv = spawn(program, [...args, join(app, 'app/cli.js'), ...serve, '--data-dir', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    /** @type {string} */
    const url = await new Promise((resolve, reject) => {
      createInterface({ input: tv.stdout }).on('line', (line) => {
        const [found] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
        if (found) resolve(found);
      });
      tv.on('exit', (code) => reject(new Error(`The TV ended with ${code}.`)));
    });
    const health = await (await fetch(`${url}/healthz`)).json();
    assert.equal(health.ok, true);
  } finally {
    tv.removeAllListeners('exit');
    tv.kill();
    await once(tv, 'exit');
  }
});
