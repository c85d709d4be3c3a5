/** Tests of the driver with a shell instead of an emulated board. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Machine } from '../../image/qemu/machine.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
before(async () => {
  // Programs of the board, so that those of this machine are not run.
  for (const name of ['stty', 'dmesg', 'systemctl']) {
    const action =
      name === 'systemctl'
        ? '[ "$1" = kill ] || { echo "Power down" >&4; kill -9 $BOARD; }'
        : 'exit 0';
    await writeFile(join(folder, name), `#!/bin/sh\n${action}\n`, { mode: 0o755 });
  }
});

/** @param {import('node:test').TestContext} t @param {string} script */
function board(t, script, options = {}) {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const machine = new Machine(spawn('sh', ['-c', script], { env }), new Map([[80, 1234]]), {
    board: 'armhf',
    ...options,
  });
  t.after(() => machine.close());
  return machine;
}

const WITH_SHELL = 'echo "[ OK ] Started debug-shell.service"; export BOARD=$$; exec sh';

test('waitFor() finds earlier and later lines', async (t) => {
  const machine = board(t, 'echo one; read x; echo "got $x"; exec sleep 1000');
  await machine.waitFor(/one/);
  await machine.waitFor(/one/);
  const from = machine.mark();
  machine.type('two\n');
  assert.equal((await machine.waitFor(/got (\w+)/, { from }))[1], 'two');
});

test('waitFor() fails with the last output if the machine ends or is silent', async (t) => {
  await assert.rejects(
    board(t, 'echo Kernel panic').waitFor(/login/),
    (/** @type {any} */ error) => {
      assert.equal(error.code, 'PITV_QEMU_ENDED');
      assert.match(error.message, /Kernel panic/);
      return true;
    },
  );
  const silent = board(t, 'exec sleep 1000');
  await assert.rejects(silent.waitFor(/x/, { timeoutMs: 50 }), { code: 'PITV_QEMU_TIMEOUT' });
});

test('a command returns its output and status, with any content', async (t) => {
  const machine = board(t, WITH_SHELL);
  const odd = `it's "$HOME" \\n <pitv1=0> %s\n\ttab`;
  const quoted = `'${odd.replaceAll("'", "'\\''")}'`;
  assert.equal((await machine.run(`printf %s ${quoted}`)).output, odd);
  assert.equal((await machine.run('seq 20000')).output.length, 108_894);
  assert.deepEqual(await machine.run('echo out; echo err >&2; exit 3', { check: false }), {
    status: 3,
    output: 'out\nerr\n',
  });
  await assert.rejects(machine.run('false'), { code: 'PITV_QEMU_COMMAND' });
  const both = await Promise.all([machine.run('echo a'), machine.run('echo b')]);
  assert.deepEqual(
    both.map(({ output }) => output),
    ['a\n', 'b\n'],
  );
});

test('powerOff() waits for the end; cut() ends the machine at once', async (t) => {
  const machine = board(t, WITH_SHELL);
  assert.match(await machine.powerOff({ timeoutMs: 60_000 }), /Power down/);
  assert.equal(machine.running, false);
  const stubborn = board(t, 'trap "" TERM INT; echo up; while :; do sleep 1; done');
  await stubborn.waitFor(/up/);
  await stubborn.cut();
  assert.equal(stubborn.running, false);
});

test('the log has all output', async (t) => {
  const log = join(folder, 'log');
  const machine = board(t, 'echo hello; echo there', { log });
  await machine.ended();
  await machine.waitFor(/there/);
  assert.equal(await readFile(log, 'utf8'), 'hello\nthere\n');
});

test('a port that is not forwarded is rejected', (t) => {
  const machine = board(t, 'exec sleep 1000');
  assert.equal(machine.port(80), 1234);
  assert.throws(() => machine.port(22), { code: 'PITV_QEMU_PORT', message: /22/ });
});

test('the machine ends when the driver exits or is killed', async () => {
  const url = new URL('../../image/qemu/machine.js', import.meta.url).href;
  for (const end of ['process.exit(0)', "process.kill(process.pid, 'SIGKILL')"]) {
    const script = `
      import { spawn } from 'node:child_process';
      const { Machine } = await import(${JSON.stringify(url)});
      const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'sleep', '1000']);
      const machine = new Machine(child, new Map(), { board: 'armhf' });
      console.log(child.pid);
      process.stdin.once('data', () => ${end});`;
    const driver = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
    });
    const [pid] = await once(driver.stdout.setEncoding('utf8'), 'data');
    driver.stdin.write('now\n');
    await once(driver, 'close');
    for (let tries = 0; ; tries++) {
      const state = spawnSync('ps', ['-o', 'stat=', '-p', pid.trim()], { encoding: 'utf8' }).stdout;
      if (state === '' || state.startsWith('Z')) break;
      assert.ok(tries < 250, `after ${end}: ${state}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});
