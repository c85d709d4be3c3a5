/** Tests of emulated boards without QEMU: its arguments, the driver with a shell instead of a board, the network. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { Machine } from '../../image/qemu/machine.js';
import { MACHINES, commandLine, machineKind } from '../../image/qemu/machines.js';
import { plugIn } from '../../image/qemu/qmp.js';
import { kernelCommandLine } from '../../image/sd/card.js';

/** @param {import('node:test').TestContext} t @param {string} script */
function board(t, script) {
  const child = spawn('sh', ['-c', script]);
  const machine = new Machine(child, 1234, { board: 'armhf' });
  t.after(() => machine.cut());
  return machine;
}

test('waitFor() fails with the last output if the machine ends or is silent', async (t) => {
  const ended = { code: 'PITV_QEMU_ENDED', message: /Kernel panic/ };
  await assert.rejects(board(t, 'echo Kernel panic').waitFor(/login/), ended);
  const silent = board(t, 'exec sleep 1000');
  await assert.rejects(silent.waitFor(/x/, { timeoutMs: 50 }), { code: 'PITV_QEMU_TIMEOUT' });
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
  const plugged = plugIn(machine, qmp);
  machine.type('starting\n');
  await machine.waitFor(/starting/);
  assert.deepEqual(done, []);
  machine.type('hub 1-0:1.0: 1 port detected\n');
  await plugged;
  assert.deepEqual(done, ['device_add net1', 'device_del net1', 'device_add net2']);
});

test('the words of the card are kept, with the console of QEMU instead of the television', () => {
  const own = 'root=PARTUUID=1-02 ro quiet console=tty1 loglevel=3\n';
  const line = commandLine(machineKind('armhf'), own, ['x=y']);
  assert.match(line, /^root=PARTUUID=1-02 ro console=ttyAMA0,115200 .*x=y$/);
  assert.doesNotMatch(line, /quiet|tty1|loglevel/);
  const longest = kernelCommandLine({ hasRoot: true, kiosk: true });
  for (const kind of Object.values(MACHINES).flatMap(Object.values)) commandLine(kind, longest);
  const truncated = () => commandLine(machineKind('armhf'), 'x'.repeat(1024));
  assert.throws(truncated, { code: 'PITV_QEMU_COMMAND_LINE' });
});

test('an unknown board or machine is rejected with a list of the known ones', () => {
  assert.throws(() => machineKind('z80'), { code: 'PITV_QEMU_UNKNOWN', message: /armhf: raspi2b/ });
  assert.throws(() => machineKind('armhf', 'pdp11'), { code: 'PITV_QEMU_UNKNOWN' });
});
