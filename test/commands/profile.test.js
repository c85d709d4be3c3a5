/** `pitv profile` on the command line. */
import assert from 'node:assert/strict';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { loadCommand } from '../../app/commands/index.js';
import { startCommand } from '../support/cli.js';
import { temporaryFolder, until } from '../support/tv.js';

const { run } = await loadCommand('profile');

/** @param {string} folder working directory; temporary files go to its folder `tmp` @param {string[]} args */
async function start(folder, args) {
  const temporary = join(folder, 'tmp');
  await mkdir(temporary, { recursive: true });
  const command = startCommand(['profile', ...args], { cwd: folder, env: { TMPDIR: temporary } });
  // A folder may vanish while it is read.
  const left = () => readdir(temporary, { recursive: true }).catch(() => ['something']);
  return { ...command, left };
}

test('profiles have the functions of the main thread and of the worker', async () => {
  const folder = temporaryFolder();
  const { ended, left } = await start(folder, ['--engine', 'thread', '--seconds', '1']);
  const { status, stdout, stderr } = await ended;
  assert.equal(status, 0, stderr);
  const files = (await readdir(folder)).filter((name) => name !== 'tmp').sort();
  assert.match(files.join(), /^cpu-main-\w+\.cpuprofile,cpu-worker-\d+-bumper-\w+\.cpuprofile$/);
  for (const file of files) assert.ok(stdout.includes(`: ${join(folder, file)}\n`), stdout);
  const [main, worker] = await Promise.all(
    files.map((file) => readFile(join(folder, file), 'utf8')),
  );
  assert.match(main, /app\/(match|server)\/|node_modules\/ws\//);
  // A second has few samples of a tick, but each profile begins with a sample of the function that takes it.
  assert.match(worker, /app\/engine\/worker\//);
  assert.doesNotMatch(worker, /app\/server\//);
  assert.deepEqual(await left(), []);
});

for (const [when, file] of Object.entries({ start: /^pitv-local-/, profile: /\.cpuprofile$/ })) {
  test(`Ctrl-C during the ${when} ends the TV and leaves no files`, async () => {
    const folder = temporaryFolder();
    const { child, ended, left } = await start(folder, ['--seconds', '60', '--engine', 'thread']);
    const begun = async () => (await left()).some((name) => file.test(name));
    await until(begun, `the ${when} to begin`);
    child.kill('SIGINT');
    assert.equal((await ended).signal, 'SIGINT');
    await until(async () => (await left()).length === 0, 'the end of the TV');
    assert.deepEqual(await readdir(folder), ['tmp']);
  });
}

test('a bad option is an error of one line, and so is a folder that cannot be written to', async () => {
  for (const [option, value] of [
    ['--game', 'nothing'],
    ['--seconds', '0'],
    ['--seconds', 'long'],
    ['--engine', 'fork'],
    ['--nonsense', ''],
  ]) {
    await assert.rejects(run([option, value]), { code: 'PITV_USAGE', message: /^[^\n]+$/ }, option);
  }
  const out = join(temporaryFolder(), 'no', 'such');
  const message = /^The CPU profile cannot be written to [^\n]+$/;
  await assert.rejects(run(['-o', out]), { code: 'PITV_PROFILE_OUT', message });
});
