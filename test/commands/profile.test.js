/** `pitv profile` on the command line. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCommand } from '../../app/commands/index.js';
import { extent } from '../support/extent.js';
import { temporaryFolder, until } from '../support/tv.js';

const { run } = await loadCommand('profile');
const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));

/**
 * @param {string} folder working directory; temporary files go to its folder `tmp`
 * @param {string[]} args @param {NodeJS.ProcessEnv} [env] more of it
 */
async function start(folder, args, env) {
  const temporary = join(folder, 'tmp');
  await mkdir(temporary, { recursive: true });
  const child = spawn(process.execPath, [CLI, 'profile', ...args], {
    cwd: folder,
    env: { ...process.env, ...env, TMPDIR: temporary },
  });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (error += text));
  const ended = once(child, 'close').then(([status]) => ({ status, out, error }));
  return { child, ended, left: () => readdir(temporary) };
}

/** @param {string} path @returns {Promise<Required<import('../../bench/profile/text.js').CpuProfile>>} */
const readProfile = async (path) => JSON.parse(await readFile(path, 'utf8'));

test('synchronous hashing shows in the summary and in the CPU profile', async (t) => {
  const folder = await temporaryFolder(t);
  const args = ['--hash', 'sync', '--seconds', '3', '--connections', '1'];
  const { ended, left } = await start(folder, args);
  const { status, out, error } = await ended;
  assert.equal(status, 0, error);
  assert.match(out, /event loop busy \d+\.\d % of the time\n.*\n +\d+\.\d% +\d+\.\d% {2}run\n/);
  const file = join(folder, 'pitv-profile-login.cpuprofile');
  assert.ok(out.includes(`CPU profile of main: ${file}\n`), out);
  const { nodes, samples } = await readProfile(file);
  const names = nodes.map(({ callFrame }) => callFrame.functionName);
  assert.ok(names.includes('scryptSync'));
  const ids = new Set(nodes.map(({ id }) => id));
  assert.ok(samples.length > 0 && samples.every((id) => ids.has(id)));
  assert.deepEqual(await left(), []);
});

for (const engine of extent([], ['process', 'thread', 'zygote'])) {
  test(`${engine}: --workers profiles the workers of matches, too`, async (t) => {
    const folder = await temporaryFolder(t);
    const args = ['--scenario', 'collide', '--workers', '--engine', engine, '-o', 'a.cpuprofile'];
    const { ended, left } = await start(folder, [...args, '--seconds', '2', '--connections', '2']);
    const { status, out, error } = await ended;
    assert.equal(status, 0, error);
    assert.match(out, /frames per second +[1-9]/);
    assert.match(out, /== worker collide \d+: CPU \d+\.\d % of a core/);
    const { nodes } = await readProfile(join(folder, 'a.worker-1.cpuprofile'));
    assert.match(JSON.stringify(nodes), /app\/engine\/worker\/(run|loop|ticker)\.js/);
    const files = ['a.cpuprofile', 'a.worker-1.cpuprofile', 'tmp'];
    assert.deepEqual((await readdir(folder)).sort(), files);
    assert.deepEqual(await left(), []);
  });
}

test('Ctrl-C ends the run and leaves no files', async (t) => {
  const folder = await temporaryFolder(t);
  const { child, ended, left } = await start(folder, ['--seconds', '600', '--scenario', 'collide']);
  const begun = async () => {
    const [run] = await left();
    return run && (await readdir(join(folder, 'tmp', run))).includes('main.cpuprofile');
  };
  await until(begun, 'the profile to begin');
  child.kill('SIGINT');
  const { status, error } = await ended;
  assert.equal(status, 130);
  assert.match(error, /cancelled/);
  assert.deepEqual(await left(), []);
  assert.deepEqual(await readdir(folder), ['tmp']);
});

test('a bad option is an error of one line', async () => {
  for (const [option, value] of [
    ['--scenario', 'nothing'],
    ['--seconds', '0'],
    ['--seconds', 'long'],
    ['--connections', '257'],
    ['--engine', 'fork'],
    ['--hash', 'md5'],
    ['--nonsense', ''],
  ]) {
    await assert.rejects(run([option, value]), { code: 'PITV_USAGE', message: /^[^\n]+$/ }, option);
  }
});

test('a file that cannot be written is an error before the run', async (t) => {
  const out = join(await temporaryFolder(t), 'no', 'such', 'x');
  await assert.rejects(run(['-o', out]), {
    code: 'PITV_PROFILE_OUT',
    message: /^The CPU profile cannot be written to [^\n]+$/,
  });
});

test('without autocannon, an error says how to install it before a TV starts', async (t) => {
  const folder = await temporaryFolder(t);
  const hooks = `export const resolve = (name, context, next) =>
    next(name === 'autocannon' ? 'pitv-no-such-package' : name, context);`;
  const script = `import { register } from 'node:module';
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;
  const { ended, left } = await start(folder, ['--seconds', '600'], { NODE_OPTIONS });
  const { status, error } = await ended;
  assert.equal(status, 1, error);
  assert.match(error, /^pitv: [^\n]*autocannon, which is not installed: npm install [^\n]+\n$/);
  assert.deepEqual(await left(), [], 'no TV was started');
});
