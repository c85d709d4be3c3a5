import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MACHINES,
  commandLine,
  machineKind,
  qemuArguments,
  withOneCore,
} from '../../image/qemu/machines.js';
import { KERNEL_COMMAND_LINE } from '../../image/sd/card.js';

test('each board has a machine, and the command line of each machine is short enough', () => {
  for (const [board, kinds] of Object.entries(MACHINES)) {
    assert.equal(machineKind(board).name, Object.keys(kinds)[0]);
    for (const kind of Object.values(kinds)) commandLine(kind, KERNEL_COMMAND_LINE);
  }
});

test('the words of the card are kept, with the console of QEMU instead of the television', () => {
  const line = commandLine(
    machineKind('armhf'),
    'root=PARTUUID=1-02 ro quiet console=tty1 loglevel=3\n',
    ['x=y'],
  );
  const words = line.split(' ');
  for (const word of ['root=PARTUUID=1-02', 'ro', 'console=ttyAMA0,115200', 'x=y']) {
    assert.ok(words.includes(word), word);
  }
  assert.ok(!/quiet|tty1|loglevel/.test(line));
});

test('a command line that the kernel would truncate is rejected', () => {
  assert.throws(() => commandLine(machineKind('armhf'), 'x'.repeat(1024)), {
    code: 'PITV_QEMU_COMMAND_LINE',
  });
});

test('ports are forwarded from this machine only; the network can be disabled', () => {
  const what = {
    disk: 'd',
    kernel: 'k',
    initrd: 'i',
    append: 'a',
    forwards: [{ host: 1, guest: 80 }],
  };
  const args = qemuArguments(machineKind('armhf'), what).join(' ');
  assert.match(args, /hostfwd=tcp:127\.0\.0\.1:1-:80/);
  assert.match(args, /-netdev user,id=net/);
  assert.ok(!args.includes('usb-net'), 'it is plugged in later');
  assert.match(args, /if=sd/);
  assert.ok(
    !/netdev/.test(qemuArguments(machineKind('armhf'), { ...what, network: false }).join(' ')),
  );
});

test('the serial line that is read is the one used by the kernel', () => {
  const what = { disk: 'd', kernel: 'k', initrd: 'i', append: 'a' };
  assert.match(qemuArguments(machineKind('arm64'), what).join(' '), /-serial null -serial stdio/);
  assert.match(qemuArguments(machineKind('armhf'), what).join(' '), /-serial stdio/);
});

test('a machine starts with one core, also the Pi 2, which QEMU always gives four', () => {
  assert.deepEqual(withOneCore(machineKind('armhf', 'virt')).args, ['-smp', '1']);
  const { args, append } = withOneCore(machineKind('armhf', 'raspi2b'));
  assert.deepEqual(args, ['-global', 'bcm2836.enabled-cpus=1']);
  assert.deepEqual(append, ['maxcpus=1']);
});

test('an unknown board or machine is rejected with a list of the known ones', () => {
  assert.throws(() => machineKind('z80'), { code: 'PITV_QEMU_UNKNOWN', message: /armhf: raspi2b/ });
  assert.throws(() => machineKind('armhf', 'pdp11'), { code: 'PITV_QEMU_UNKNOWN' });
});
