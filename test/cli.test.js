/** Runs the commands in child processes and checks their output and exit status. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  constants,
  cpSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { flagName } from '../app/config/flags.js';
import { SETTINGS } from '../app/config/settings.js';
import { processTree } from '../app/process/process-tree.js';
import { CLI, runCommand, runCommands } from './support/cli.js';
import { extent } from './support/extent.js';
import { listen } from './support/http.js';
import { ServeChild, isAlive, startServe } from './support/serve.js';
import { TV_ENGINES, temporaryFolder, until } from './support/tv.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
/** @param {{stderr: string}} result */
function oneLine({ stderr }) {
  assert.match(stderr, /^pitv: [^\n]+\n$/, 'one line');
  return stderr;
}

/** Starts a match. @param {ServeChild} tv @param {string} game @returns {Promise<number>} its id */
async function play(tv, game) {
  const answer = await tv.ask('/api/matches', { method: 'POST', body: { game } });
  assert.equal(answer.status, 201);
  return (await answer.json()).id;
}

/**
 * Ends a TV by a signal. It kills itself, with status 1, when that takes too long.
 * @param {ServeChild} tv @param {NodeJS.Signals} signal
 */
async function stopInTime(tv, signal) {
  const closed = once(tv.child, 'close'); // its workers have closed their stderr, too
  tv.child.kill(signal);
  assert.deepEqual(await closed, [0, null], tv.log);
}

/** Lists the processes below a process. @param {number} pid */
const childrenOf = (pid) => processTree(pid).filter((each) => each !== pid);

test('pitv version prints the versions of pitv and Node.js', async () => {
  const ways = [['version'], ['--version'], ['version', '--json']];
  const [plain, flag, json] = await runCommands(ways);
  assert.equal(plain.status, 0);
  assert.ok(plain.stdout.startsWith(`pitv ${version} (Node ${process.versions.node}`));
  const { name, ...facts } = JSON.parse(json.stdout);
  assert.deepEqual([name, facts.version, facts.node], ['pitv', version, process.versions.node]);
  assert.equal(flag.stdout, plain.stdout);
});

test('pitv help lists the commands, and --help shows the options of one', async () => {
  const asked = [[], ['help'], ['--help'], ['-h'], ['serve', '--help'], ['help', 'serve']];
  const results = await runCommands([...asked, ['version', '--help']]);
  for (const { status, stdout } of results.slice(0, 4)) {
    assert.equal(status, 0);
    for (const name of ['serve', 'bench', 'version', 'help'])
      assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
  }
  const [{ status, stdout }, ...others] = results.slice(4);
  assert.equal(status, 0);
  for (const name of Object.keys(SETTINGS))
    assert.ok(stdout.includes(`--${flagName(name)} `), name);
  assert.equal(others[0].stdout, stdout);
  assert.match(others[1].stdout, /--json/);
});

test('wrong usage is reported in one line, with exit status 2', async () => {
  const wrong = /** @type {[string[], RegExp][]} */ ([
    [['play'], /"play".*serve/],
    [['help', 'play'], /"play".*serve/],
    [['__proto__'], /no command/],
    [['../cli'], /no command/],
    [['serve', '--port', '99999'], /--port.*0\.\.65535/],
    [['serve', '--data-dir', CLI], /not a directory/],
    [['version', '--yaml'], /--yaml/],
    [['clip', '--url', 'localhost:8080'], /--url must be an address of http or https/],
    [['clip', '--match', '1x'], /--match must be/],
  ]);
  const results = await runCommands(wrong.map(([argv]) => argv));
  for (const [i, result] of results.entries()) {
    const [argv, pattern] = wrong[i];
    assert.equal(result.status, 2, argv.join(' '));
    assert.match(oneLine(result), pattern);
    assert.equal(result.stdout, '');
  }
  const env = { PITV_PORT: 'http' };
  const [result, help] = await runCommands([['serve'], ['serve', '--help']], { env });
  assert.deepEqual([result.status, help.status], [2, 0]);
  assert.match(oneLine(result), /PITV_PORT/);
});

test('a version of Node.js that is too old is reported in one line, with exit status 2', async () => {
  const old = `Object.defineProperty(process.versions, 'node', { value: '18.19.0' });`;
  const preload = join(temporaryFolder({ 'old.cjs': old }), 'old.cjs');
  const result = await runCommand(['version'], { node: ['--require', preload] });
  assert.equal(result.status, 2);
  assert.match(oneLine(result), /18\.19\.0.*20/);
  assert.equal(result.stdout, '');
});

test('without its npm packages, it says what to install', () => {
  const folder = temporaryFolder();
  const root = new URL('..', import.meta.url);
  for (const name of ['app', 'bench', 'ksm', 'package.json']) {
    cpSync(new URL(name, root), join(folder, name), { recursive: true });
  }
  const args = [join(folder, 'app/cli.js'), 'serve', '--port', '0'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(oneLine({ stderr }), /"pino" is not installed\. Run `npm ci`/);
});

test('output that cannot be written is reported in one line, with exit status 1', () => {
  const command = ['-c', 'exec "$@" >/dev/full', 'sh', process.execPath, CLI, 'version'];
  const { status, stderr } = spawnSync('sh', command, { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(oneLine({ stderr }), /The output cannot be written: the disk is full\./);
});

test('cli.js has no syntax that old versions of Node.js cannot parse', () => {
  const source = readFileSync(CLI, 'utf8');
  assert.doesNotMatch(source, /^\s*import\s|\?\.|\?\?|\bawait\b|=>|`(?!pitv <command>`)[^`]*\$\{/m);
});

test('an address that cannot be used is reported in one line, with exit status 1', async (t) => {
  const port = await listen(t, createServer());
  const where = ['--host', '127.0.0.1', '--port', String(port), '--data-dir', temporaryFolder()];
  const result = await runCommand(['serve', ...where], { env: { PITV_LOG_LEVEL: 'warn' } });
  assert.equal(result.status, 1);
  assert.match(oneLine(result), new RegExp(`Port ${port} is used`));
});

test('serve prints the addresses, the code and the token, and logs JSON', async (t) => {
  const tv = await startServe(t);
  await until(() => tv.log.includes(`"port":${tv.port}`), 'the port in the log');
  const { printed, log, code, adminToken } = tv;
  assert.ok(printed.includes(`${tv.url}/p?c=${code}`), printed);
  assert.ok(printed.includes(`code ${code}\n`), printed);
  assert.match(printed, /█▀|▄▄▄▄▄/);
  assert.ok(!printed.includes('\x1b'), 'no colours in a pipe');
  const file = join(tv.dataDir, 'admin-token');
  assert.equal(readFileSync(file, 'utf8').trim(), adminToken);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(printed.includes(file));
  const engine =
    /\nEngine (zygote|process|thread): a (forked )?(process|thread) for each match.*\.\n/;
  assert.match(printed, engine);
  for (const line of log.trim().split('\n')) assert.ok(JSON.parse(line).msg);
  assert.ok(!log.includes(adminToken) && !log.includes(code), 'no secrets in the log');
  tv.child.stdout?.destroy();
  tv.child.stderr?.destroy();
  await play(tv, 'collide');
  assert.equal((await tv.ask('/healthz')).status, 200, 'no process reads the pipes');
});

test('a signal during the start ends the TV with status 0, and it says nothing', async () => {
  const flags = ['--engine', 'thread', '--port', '0', '--data-dir', temporaryFolder()];
  const script = `
    import { runTv } from '${new URL('../app/commands/common/run-tv.js', import.meta.url)}';
    import { parseSettings } from '${new URL('../app/config/parse.js', import.meta.url)}';
    const settings = parseSettings(${JSON.stringify(['--log-level', 'error', ...flags])}, {});
    process.exitCode = await runTv(settings, {}, () => process.kill(process.pid, 'SIGTERM'));`;
  const args = ['--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
});

/** Makes a pipe that is full, and that nobody reads. @returns {string} its path */
function makeFullPipe() {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const file = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(file, '-');
  } catch (error) {
    assert.equal(Reflect.get(Object(error), 'code'), 'EAGAIN');
  }
  return path;
}

for (const [where, makePath] of /** @type {const} */ ([
  ['on a full disk', () => '/dev/full'],
  ['in a pipe that nobody reads', makeFullPipe],
])) {
  test(`a TV with its log ${where} runs, and saves its match at SIGTERM`, async (t) => {
    const dataDir = temporaryFolder();
    const flags = ['--engine', 'thread', '--host', '127.0.0.1', '--port', '0'];
    const command = [process.execPath, CLI, 'serve', ...flags, '--data-dir', dataDir];
    const script = `exec "$@" 2>${makePath()}`;
    const tv = spawn('sh', ['-c', script, 'sh', ...command], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.after(() => tv.kill('SIGKILL'));
    let printed = '';
    tv.stdout.on('data', (text) => (printed += text));
    const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0], 'the address');
    const authorization = `Bearer ${readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()}`;
    const response = await fetch(`${url}/api/matches`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ game: 'collide' }),
    });
    assert.equal(response.status, 201);
    const { id } = await response.json();
    tv.kill('SIGTERM');
    assert.deepEqual(await once(tv, 'exit'), [0, null]);
    assert.deepEqual(readdirSync(join(dataDir, 'live')), [`${id}.a`, `${id}.b`]);
  });
}

/** @type {readonly ('SIGTERM' | 'SIGINT')[]} */
const SIGNALS = extent(['SIGTERM'], ['SIGTERM', 'SIGINT']);

for (const engine of TV_ENGINES) {
  for (const signal of SIGNALS) {
    test(`${engine}: ${signal} stops the TV in time, no process is left, and the next start resumes the matches`, async (t) => {
      const shmBefore = readdirSync('/dev/shm');
      const tv = await startServe(t, '--engine', engine, '--max-matches', '4');
      const ids = [await play(tv, 'bumper'), await play(tv, 'collide')];
      const workers = childrenOf(tv.pid);
      assert.equal(workers.length === 0, engine === 'thread');
      await stopInTime(tv, signal);
      for (const pid of workers) assert.ok(!isAlive(pid), `${pid} is still running`);
      const left = readdirSync('/dev/shm').filter(
        (name) => /pitv/.test(name) && !shmBefore.includes(name),
      );
      assert.deepEqual(left, []);
      await tv.start();
      assert.deepEqual((await tv.matches()).map(({ id }) => id).sort(), ids.sort());
    });
  }
}

test('a worker that does not answer is killed when the TV ends', async (t) => {
  const tv = await startServe(t, '--engine', 'process', '--hang-ms', '60000');
  const id = await play(tv, 'collide');
  const [worker] = childrenOf(tv.pid);
  process.kill(worker, 'SIGSTOP');
  await stopInTime(tv, 'SIGTERM');
  assert.ok(!isAlive(worker));
  const files = readdirSync(join(tv.dataDir, 'live'));
  assert.deepEqual(files, [`${id}.a`, `${id}.b`], 'an earlier checkpoint was saved');
});

test('settings can come from the environment; a second SIGTERM kills the TV at once', async (t) => {
  const env = { PITV_ENGINE: 'process', PITV_MAX_MATCHES: '3' };
  const tv = new ServeChild({ args: ['--hang-ms', '60000'], env });
  t.after(() => tv.stop('SIGKILL'));
  await tv.start();
  assert.equal((await (await tv.ask('/healthz')).json()).engine, 'process');
  assert.equal((await (await tv.ask('/api/matches')).json()).capacity.max, 3);
  await play(tv, 'collide');
  const [worker] = childrenOf(tv.pid);
  process.kill(worker, 'SIGSTOP'); // so that the TV has to wait after the first signal
  tv.child.kill('SIGTERM');
  await until(() => tv.log.includes('the TV is stopping'), 'the first signal');
  tv.child.kill('SIGTERM');
  await tv.ended();
  assert.equal(tv.child.exitCode, 143, 'it does not wait for the worker');
  await until(() => !isAlive(worker), 'the end of the worker');
});
