import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run, words } from '../../image/sd/shell.js';
import { isAlive } from '../support/serve.js';
import { temporaryFolder, until } from '../support/tv.js';

const modules = ['shell', 'layers'].map((name) =>
  JSON.stringify(new URL(`../../image/sd/${name}.js`, import.meta.url)),
);
/** Makes a layer whose script starts a program that does not end, and writes its id to a file. */
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

test('an interrupted build ends its programs and leaves no draft', async (t) => {
  const root = temporaryFolder(t);
  const build = spawn(process.execPath, ['--input-type=module', '-e', BUILD, root]);
  t.after(() => build.kill('SIGKILL'));
  let output = '';
  build.stdout.on('data', (text) => (output += text));
  const pid = await until(async () => {
    const [draft] = await readdir(root);
    return Number(await readFile(join(root, draft ?? '', 'pid'), 'utf8').catch(() => 0));
  }, 'the program');
  build.kill('SIGTERM');
  const [code] = await once(build, 'close');
  assert.deepEqual([code, output.trim()], [1, 'PITV_IMAGE_INTERRUPTED']);
  assert.deepEqual(await readdir(root), []);
  await until(() => !isAlive(pid), 'the end of the program');
});

test('the error of a failed program has its output, that of a missing program its name', async () => {
  await assert.rejects(run('sh', ['-c', 'echo out of paper >&2; exit 3']), {
    code: 'PITV_IMAGE_TOOL',
    message: /exit status 3.*\n?.*out of paper/s,
  });
  await assert.rejects(run('/no/such/program', []), /could not be started/);
});

test('the warnings of a program that succeeds are shown', () => {
  const program = `import { run } from ${modules[0]};
    await run('sh', ['-c', 'echo made a; echo "W: no b" >&2; echo "Warning: c" >&2; echo d >&2']);`;
  const args = ['--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.deepEqual([stdout, stderr], ['', 'sh: W: no b\nsh: Warning: c\n']);
});

test('a command line is split at its spaces, an inserted value is not', () => {
  const path = 'a folder/file';
  const line = words`-x   ${path} --out=${path}:${1}
    ${[]}${''} ${['b c', 'd']} end`;
  assert.deepEqual(line, ['-x', path, `--out=${path}:1`, 'b c', 'd', 'end']);
  assert.deepEqual(words`${path}`, [path]);
});
