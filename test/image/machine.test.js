/** Tests of the driver with a shell instead of an emulated board, of plugging in the network, and of QMP. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Machine } from '../../image/qemu/machine.js';
import { Qmp } from '../../image/qemu/qmp.js';
import { plugIn } from '../../image/qemu/usb-network.js';
import { isAlive } from '../support/serve.js';
import { temporaryFolder, until } from '../support/tv.js';

const folder = temporaryFolder();
before(async () => {
  // Programs of the board, so that those of this machine are not run.
  const powerOff = '[ "$1" = kill ] || { echo "Power down" >&4; kill -9 $BOARD; }';
  for (const [name, action] of Object.entries({ stty: '', dmesg: '', systemctl: powerOff }))
    await writeFile(join(folder, name), `#!/bin/sh\n${action}\n`, { mode: 0o755 });
});

/** @param {import('node:test').TestContext} t @param {string} script */
function board(t, script, options = {}) {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const child = spawn('sh', ['-c', script], { env });
  const machine = new Machine(child, new Map([[80, 1234]]), { board: 'armhf', ...options });
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
  const ended = { code: 'PITV_QEMU_ENDED', message: /Kernel panic/ };
  await assert.rejects(board(t, 'echo Kernel panic').waitFor(/login/), ended);
  const silent = board(t, 'exec sleep 1000');
  await assert.rejects(silent.waitFor(/x/, { timeoutMs: 50 }), { code: 'PITV_QEMU_TIMEOUT' });
});

test('a command returns its output and status, with any content', async (t) => {
  const machine = board(t, WITH_SHELL);
  const odd = `it's "$HOME" \\n <pitv1=0> %s\n\ttab`;
  const quoted = `'${odd.replaceAll("'", "'\\''")}'`;
  assert.equal((await machine.run(`printf %s ${quoted}`)).output, odd);
  assert.equal((await machine.run('seq 20000')).output.length, 108_894);
  const failed = await machine.run('echo out; echo err >&2; exit 3', { check: false });
  assert.deepEqual(failed, { status: 3, output: 'out\nerr\n' });
  await assert.rejects(machine.run('false'), { code: 'PITV_QEMU_COMMAND' });
  const [a, b] = await Promise.all([machine.run('echo a'), machine.run('echo b')]);
  assert.deepEqual([a.output, b.output], ['a\n', 'b\n']);
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
    await until(() => !isAlive(Number(pid)), `the end of the machine after ${end}`);
  }
});

test('the network is plugged in when there is a port, and again until it is detected', async (t) => {
  const machine = board(t, 'exec cat');
  const answers = [
    'usb usb1-port1: unable to enumerate USB device',
    "cdc_ether 1-1:2.0 usb0: register 'cdc_ether'",
  ];
  /** @type {string[]} */
  const done = [];
  const qmp = /** @type {any} */ ({
    async execute(/** @type {string} */ command, /** @type {any} */ { id }) {
      done.push(`${command} ${id}`);
      if (command === 'device_add') machine.type(`${answers.shift()}\n`);
    },
  });
  const plugged = plugIn(machine, qmp, 'net');
  machine.type('starting\n');
  await machine.waitFor(/starting/);
  assert.deepEqual(done, []);
  machine.type('hub 1-0:1.0: 1 port detected\n');
  assert.equal(await plugged, 2);
  assert.deepEqual(done, ['device_add net1', 'device_del net1', 'device_add net2']);
});

test('plugging in the network fails if the machine ends', async (t) => {
  const machine = board(t, 'exec cat');
  const plugged = plugIn(machine, /** @type {any} */ ({}), 'net');
  await machine.cut();
  await assert.rejects(plugged, { code: 'PITV_QEMU_ENDED' });
});

test('answers of QEMU are matched to commands despite events in between; refusals are errors', async (t) => {
  const path = join(temporaryFolder(t), 'qmp');
  const server = net.createServer((socket) => {
    socket.write('{"QMP": {"version": {}}}\r\n');
    createInterface({ input: socket }).on('line', (line) => {
      const { execute, arguments: args } = JSON.parse(line);
      socket.write('{"event": "RESUME"}\r\n');
      const error = { class: 'GenericError', desc: 'no bus' };
      if (execute === 'quit') socket.destroy();
      else socket.write(`${JSON.stringify(args?.wrong ? { error } : { return: execute })}\r\n`);
    });
  });
  t.after(() => server.close());
  // There is no server at first, like when QEMU is starting.
  const connecting = Qmp.connect(path, () => true);
  await once(server.listen(path), 'listening');
  const qmp = await connecting;
  t.after(() => qmp.close());
  assert.deepEqual(await Promise.all([qmp.execute('a'), qmp.execute('b')]), ['a', 'b']);
  const refused = { code: 'PITV_QEMU_REFUSED', message: /no bus/ };
  await assert.rejects(qmp.execute('device_add', { wrong: true }), refused);
  await assert.rejects(qmp.execute('quit'), { code: 'PITV_QEMU_REFUSED' });
  const ended = Qmp.connect(`${path}-of-none`, () => false);
  await assert.rejects(ended, { code: 'PITV_QEMU_ENDED' });
});
