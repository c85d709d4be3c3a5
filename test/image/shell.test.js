import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../image/sd/shell.js';
import { until } from '../support/tv.js';

const modules = ['shell', 'layers'].map((name) =>
  JSON.stringify(new URL(`../../image/sd/${name}.js`, import.meta.url)),
);
/** Makes a layer whose script has a program run that would take for ever, and says which. */
const BUILD = `
import { endOnSignals, run } from ${modules[0]};
import { layer } from ${modules[1]};
endOnSignals();
await layer('x', [], async (folder) => {
  await run('sh', ['-c', 'sleep 1000 & echo $! >"$1/pid"; wait', 'sh', folder]);
}, { root: process.argv[1] }).catch((error) => {
  console.log(error.code);
  process.exitCode = 1;
});
`;

test('a build that is interrupted ends what it runs, and leaves no draft', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'pitv-shell-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const build = spawn(process.execPath, ['--input-type=module', '-e', BUILD, root]);
  t.after(() => build.kill('SIGKILL'));
  let said = '';
  build.stdout.on('data', (text) => (said += text));
  const pid = await until(async () => {
    const [draft] = await readdir(root);
    return Number(await readFile(join(root, draft ?? '', 'pid'), 'utf8').catch(() => 0));
  }, 'the program');
  build.kill('SIGTERM');
  const [code] = await once(build, 'close');
  assert.deepEqual([code, said.trim()], [1, 'PITV_IMAGE_INTERRUPTED']);
  assert.deepEqual(await readdir(root), []);
  await until(() => {
    try {
      return !process.kill(pid, 0);
    } catch (error) {
      return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
    }
  }, 'the end of what the program ran');
});

test('a program that fails is an error with its output; a missing program is an error that names it', async () => {
  await assert.rejects(run('sh', ['-c', 'echo out of paper >&2; exit 3']), {
    code: 'PITV_IMAGE_TOOL',
    message: /exit status 3.*\n?.*out of paper/s,
  });
  await assert.rejects(run('/no/such/program', []), /could not be started/);
});
