/** `pitv profile` as a person runs it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { extent } from '../support/extent.js';
import { temporaryFolder, until } from '../support/tv.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));

/**
 * @param {string} folder for temporary files too, so that what is left behind is seen
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

test('hashing on the main thread is found: it is nearly all that the TV does', async (t) => {
  const folder = await temporaryFolder(t);
  const args = ['--hash', 'sync', '--seconds', '2', '--connections', '3'];
  const { ended, left } = await start(folder, args);
  const { status, out, error } = await ended;
  assert.equal(status, 0, error);
  assert.match(out, /Summary\n[^]*C\+\+/);
  assert.match(out, /event loop busy \d+\.\d % of the time/);
  assert.match(out, /Bottom up[^]*scryptSync[^]*matches app\/admin\/password\.js/);
  const html = await readFile(join(folder, 'pitv-profile-login.html'), 'utf8');
  assert.ok(html.includes('scryptSync'));
  assert.doesNotMatch(html, /(src|href)=|https?:\/\/|@import|url\(/, 'it needs no network');
  assert.deepEqual(await left(), []);
});

for (const engine of extent(['zygote'], ['process', 'thread', 'zygote'])) {
  test(`${engine}: the workers of a match are profiled as well`, async (t) => {
    const folder = await temporaryFolder(t);
    const args = ['--scenario', 'collide', '--workers', '--engine', engine, '--json', '-o', '-'];
    const { ended, left } = await start(folder, [...args, '--seconds', '3', '--connections', '2']);
    const { status, out, error } = await ended;
    assert.equal(status, 0, error);
    const { threads, figures } = JSON.parse(out);
    assert.ok(figures.framesPerSecond > 0);
    assert.equal(threads[0].name, 'main');
    assert.ok(threads[0].utilization > 0 && threads[0].utilization <= 1);
    assert.equal(threads.length, 2);
    assert.match(threads[1].name, /^worker collide/);
    assert.match(JSON.stringify(threads[1].flame), /app\/engine\/worker\/run\.js/);
    assert.deepEqual(await readdir(folder), ['tmp'], 'no flame graph was asked for');
    assert.deepEqual(await left(), []);
  });
}

test('Ctrl-C ends all of it and leaves nothing', async (t) => {
  const folder = await temporaryFolder(t);
  const { child, ended, left } = await start(folder, ['--seconds', '600', '--scenario', 'collide']);
  const data = async () => {
    const [run] = await left();
    return run && (await readdir(join(folder, 'tmp', run))).find((name) => name.endsWith('.log'));
  };
  await until(data, 'the TV to run under the profiler');
  child.kill('SIGINT');
  const { status, error } = await ended;
  assert.equal(status, 130);
  assert.match(error, /It was ended/);
  assert.deepEqual(await left(), []);
  assert.deepEqual(await readdir(folder), ['tmp']);
});

test('bad options, and a file that cannot be written, are one sentence', async (t) => {
  const folder = await temporaryFolder(t);
  for (const [option, value] of [
    ['--scenario', 'nothing'],
    ['--seconds', '0'],
    ['--seconds', 'long'],
    ['--connections', '257'],
    ['--engine', 'fork'],
    ['--hash', 'md5'],
    ['--nonsense', ''],
  ]) {
    const { status, error } = await (await start(folder, [option, value])).ended;
    assert.equal(status, 2, option);
    assert.match(error, /^pitv: [^\n]+\n$/);
  }
  const args = ['--scenario', 'collide', '--seconds', '1', '-o', join(folder, 'no', 'such', 'x')];
  const { status, error } = await (await start(folder, args)).ended;
  assert.equal(status, 1);
  assert.match(error, /^pitv: The flame graph cannot be written to [^\n]+\n$/);
});

test('without autocannon it says so at once, and what to do', async (t) => {
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
