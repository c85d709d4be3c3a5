/** Runs the commands in child processes and checks their output and exit status. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadCommand } from '../app/commands/index.js';
import { flagName } from '../app/config/flags.js';
import { SETTINGS } from '../app/config/settings.js';
import { processTree } from '../app/process/process-tree.js';
import { SETTLED } from './support/serve.js';
import { extent } from './support/extent.js';
import { TV_ENGINES, temporaryFolder, until } from './support/tv.js';

const CLI = fileURLToPath(new URL('../app/cli.js', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
/** Limit for the time from SIGTERM to the exit. */
const STOP_MS = 2000;

/**
 * @param {string[]} argv
 * @param {{env?: Record<string, string>, node?: string[]}} [options] node: options of Node.js
 */
function start(argv, { env, node = [] } = {}) {
  const child = spawn(process.execPath, [...node, CLI, ...argv], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => (output.stdout += data));
  child.stderr.on('data', (data) => (output.stderr += data));
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output }));
  return { child, output, exit };
}

/** @param {string[]} argv @param {Parameters<typeof start>[1]} [options] */
const run = (argv, options) => start(argv, options).exit;

/** @param {{stderr: string}} result */
function oneLine({ stderr }) {
  assert.match(stderr, /^pitv: [^\n]+\n$/, 'one line');
  return stderr;
}

/**
 * Starts a TV on a free port.
 * @param {import('node:test').TestContext} t
 * @param {string[]} argv @param {Parameters<typeof start>[1]} [options]
 */
async function serve(t, argv, options) {
  const host = argv.includes('--host') ? [] : ['--host', '127.0.0.1'];
  const tv = start(['serve', '--port', '0', ...host, ...argv], options);
  t.after(async () => {
    tv.child.kill('SIGKILL');
    await tv.exit;
  });
  await until(
    () => tv.output.stderr.includes('the TV is running') || tv.child.exitCode !== null,
    'the TV to start',
  );
  const { port } = JSON.parse(
    /** @type {string} */ (tv.output.stderr.split('\n').find((line) => line.includes('"port"'))),
  );
  const [, token] = /** @type {string[]} */ (/Admin token (\S+)/.exec(tv.output.stdout));
  const url = `http://127.0.0.1:${port}`;
  await until(() => SETTLED.test(tv.output.stderr), 'the game that comes with pitv');
  /** @param {string} game */
  const play = async (game) => {
    const answer = await fetch(`${url}/api/matches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ game }),
    });
    assert.equal(answer.status, 201);
    return (await answer.json()).id;
  };
  const pid = /** @type {number} */ (tv.child.pid);
  return { ...tv, url, token, play, pid };
}

/** Lists the processes below a process. @param {number} pid */
const childrenOf = (pid) => processTree(pid).filter((each) => each !== pid);

/** Tells whether a process has ended. A zombie has. @param {number} pid */
function hasEnded(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}

test('pitv version prints the versions of pitv and Node.js', async () => {
  const plain = await run(['version']);
  assert.equal(plain.code, 0);
  assert.ok(plain.stdout.startsWith(`pitv ${version} (Node ${process.versions.node}`));
  const json = await run(['version', '--json']);
  const facts = JSON.parse(json.stdout);
  assert.deepEqual(
    [facts.name, facts.version, facts.node],
    ['pitv', version, process.versions.node],
  );
  assert.equal((await run(['--version'])).stdout, plain.stdout);
});

test('pitv help lists the commands, and --help shows the options of one', async () => {
  for (const argv of [[], ['help'], ['--help'], ['-h']]) {
    const { code, stdout } = await run(argv);
    assert.equal(code, 0);
    for (const name of ['serve', 'bench', 'version', 'help'])
      assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
  }
  const { code, stdout } = await run(['serve', '--help']);
  assert.equal(code, 0);
  for (const name of Object.keys(SETTINGS))
    assert.ok(stdout.includes(`--${flagName(name)} `), name);
  assert.equal((await run(['help', 'serve'])).stdout, stdout);
  assert.match((await run(['version', '--help'])).stdout, /--json/);
});

test('wrong usage is reported in one line, with exit status 2', async () => {
  const cases = /** @type {[string[], RegExp][]} */ ([
    [['play'], /"play".*serve/],
    [['__proto__'], /no command/],
    [['../cli'], /no command/],
    [['serve', '--port', '99999'], /--port.*0\.\.65535/],
  ]);
  for (const [argv, pattern] of cases) {
    const result = await run(argv);
    assert.equal(result.code, 2, argv.join(' '));
    assert.match(oneLine(result), pattern);
    assert.equal(result.stdout, '');
  }
  const result = await run(['serve'], { env: { PITV_PORT: 'http' } });
  assert.equal(result.code, 2);
  assert.match(oneLine(result), /PITV_PORT/);
});

test('a command refuses unknown options and words, and wrong values', async () => {
  for (const [name, argv, message] of /** @type {[string, string[], RegExp][]} */ ([
    ['serve', ['--prot', '80'], /^[^\n]*--prot[^\n]*$/],
    ['serve', ['--engine', 'magic'], /^[^\n]*--engine[^\n]*thread[^\n]*$/],
    ['serve', ['now'], /^[^\n]*now[^\n]*$/],
    ['serve', ['--data-dir', CLI], /^[^\n]*not a directory[^\n]*$/],
    ['version', ['--yaml'], /^[^\n]*--yaml[^\n]*$/],
  ])) {
    const { run: runCommand } = await loadCommand(name);
    await assert.rejects(runCommand(argv), { exitCode: 2, message }, argv.join(' '));
  }
});

test('a version of Node.js that is too old is reported in one line, with exit status 2', async (t) => {
  const preload = join(await temporaryFolder(t), 'old.cjs');
  writeFileSync(
    preload,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.0' } });",
  );
  const result = await run(['version'], { node: ['--require', preload] });
  assert.equal(result.code, 2);
  assert.match(oneLine(result), /18\.19\.0.*20/);
  assert.equal(result.stdout, '');
});

test('cli.js has no syntax that old versions of Node.js cannot parse', () => {
  const source = readFileSync(CLI, 'utf8');
  assert.doesNotMatch(source, /^\s*import\s|\?\.|\?\?|\bawait\b|=>|`(?!pitv <command>`)[^`]*\$\{/m);
});

test('a busy port is reported in one line, with exit status 1', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  t.after(() => blocker.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (blocker.address());
  const dataDir = await temporaryFolder(t);
  const result = await run(
    ['serve', '--host', '127.0.0.1', '--port', String(port), '--data-dir', dataDir],
    { env: { PITV_LOG_LEVEL: 'warn' } },
  );
  assert.equal(result.code, 1);
  assert.match(oneLine(result), new RegExp(`Port ${port} is used`));
});

test('an address of another machine is reported in one line, with exit status 1', async (t) => {
  const dataDir = await temporaryFolder(t);
  const result = await run(
    ['serve', '--host', '203.0.113.1', '--port', '0', '--data-dir', dataDir],
    { env: { PITV_LOG_LEVEL: 'warn' } },
  );
  assert.equal(result.code, 1);
  assert.match(oneLine(result), /203\.0\.113\.1/);
});

test('serve prints the addresses, the code and the token, and logs JSON', async (t) => {
  const dataDir = await temporaryFolder(t);
  const tv = await serve(t, ['--data-dir', dataDir]);
  const { stdout, stderr } = tv.output;
  const code = /code (\w{5})\n/.exec(stdout)?.[1];
  assert.ok(stdout.includes(`${tv.url}/p?c=${code}`), stdout);
  assert.match(stdout, /█▀|▄▄▄▄▄/);
  assert.ok(!stdout.includes('\x1b'), 'no colours in a pipe');
  const file = join(dataDir, 'admin-token');
  assert.equal(readFileSync(file, 'utf8').trim(), tv.token);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(stdout.includes(file));
  assert.match(
    stdout,
    /\nEngine (zygote|process|thread): a (forked process|process|thread) for each match.*\.\n/,
  );
  for (const line of stderr.trim().split('\n')) assert.ok(JSON.parse(line).msg);
  assert.ok(!stderr.includes(tv.token) && !stderr.includes(String(code)), 'no secrets in the log');
  tv.child.stdout.destroy();
  tv.child.stderr.destroy();
  await tv.play('collide');
  assert.equal((await fetch(`${tv.url}/healthz`)).status, 200, 'no process reads the pipes');
});

/** @type {readonly ('SIGTERM' | 'SIGINT')[]} */
const SIGNALS = extent(['SIGTERM'], ['SIGTERM', 'SIGINT']);

for (const engine of TV_ENGINES) {
  for (const signal of SIGNALS) {
    test(`${engine}: ${signal} stops the TV in time, no process is left, and the next start resumes the matches`, async (t) => {
      const dataDir = await temporaryFolder(t);
      const argv = ['--engine', engine, '--max-matches', '4', '--data-dir', dataDir];
      const shmBefore = existsSync('/dev/shm') ? readdirSync('/dev/shm') : [];
      const tv = await serve(t, argv);
      const ids = [await tv.play('bumper'), await tv.play('collide')];
      const workers = childrenOf(tv.pid);
      assert.equal(workers.length === 0, engine === 'thread');
      const began = performance.now();
      tv.child.kill(signal);
      const { code, stderr } = await tv.exit;
      assert.ok(performance.now() - began < STOP_MS);
      assert.equal(code, 0, stderr);
      for (const pid of workers) assert.ok(hasEnded(pid), `${pid} is still running`);
      if (shmBefore) {
        const left = readdirSync('/dev/shm').filter(
          (name) => /pitv/.test(name) && !shmBefore.includes(name),
        );
        assert.deepEqual(left, []);
      }
      const next = await serve(t, argv);
      const { matches } = await (await fetch(`${next.url}/api/matches`)).json();
      assert.deepEqual(matches.map((/** @type {any} */ match) => match.id).sort(), ids.sort());
    });
  }
}

test('a worker that does not answer delays the end by at most 2 s', async (t) => {
  const dataDir = await temporaryFolder(t);
  const argv = ['--engine', 'process', '--hang-ms', '60000', '--data-dir', dataDir];
  const tv = await serve(t, argv);
  await tv.play('collide');
  const [worker] = childrenOf(tv.pid);
  process.kill(worker, 'SIGSTOP');
  const began = performance.now();
  tv.child.kill('SIGTERM');
  const { code } = await tv.exit;
  assert.ok(performance.now() - began < STOP_MS);
  assert.equal(code, 0);
  assert.ok(hasEnded(worker));
  const next = await serve(t, argv);
  const { matches } = await (await fetch(`${next.url}/api/matches`)).json();
  assert.equal(matches.length, 1, 'an earlier checkpoint was saved');
});

test('settings can come from the environment; a second SIGTERM kills the TV at once', async (t) => {
  const dataDir = await temporaryFolder(t);
  const env = { PITV_DATA_DIR: dataDir, PITV_ENGINE: 'process', PITV_MAX_MATCHES: '3' };
  const tv = await serve(t, ['--hang-ms', '60000'], { env });
  assert.equal((await (await fetch(`${tv.url}/healthz`)).json()).engine, 'process');
  const { capacity } = await (await fetch(`${tv.url}/api/matches`)).json();
  assert.equal(capacity.max, 3);
  await tv.play('collide');
  const [worker] = childrenOf(tv.pid);
  process.kill(worker, 'SIGSTOP'); // so that the TV has to wait after the first signal
  tv.child.kill('SIGTERM');
  await until(() => tv.output.stderr.includes('the TV is stopping'), 'the first signal');
  const began = performance.now();
  tv.child.kill('SIGTERM');
  const { code } = await tv.exit;
  assert.ok(performance.now() - began < 700, 'before the grace time of 1 s is over');
  assert.equal(code, 143);
  await until(() => hasEnded(worker), 'the end of the worker');
});
