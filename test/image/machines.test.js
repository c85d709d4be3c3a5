import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MACHINES, commandLine, machineKind, qemuArguments } from '../../image/qemu/machines.js';
import { KERNEL_COMMAND_LINE } from '../../image/sd/card.js';

test('each board has a machine, and the command line of each machine is short enough', () => {
  for (const [board, kinds] of Object.entries(MACHINES)) {
    assert.equal(machineKind(board).name, Object.keys(kinds)[0]);
    for (const kind of Object.values(kinds)) commandLine(kind, KERNEL_COMMAND_LINE);
  }
});

test('the words of the card are kept, with the console of QEMU instead of the television', () => {
  const own = 'root=PARTUUID=1-02 ro quiet console=tty1 loglevel=3\n';
  const line = commandLine(machineKind('armhf'), own, ['x=y']);
  const words = line.split(' ');
  for (const word of ['root=PARTUUID=1-02', 'ro', 'console=ttyAMA0,115200', 'x=y'])
    assert.ok(words.includes(word), word);
  assert.ok(!/quiet|tty1|loglevel/.test(line));
});

test('a command line that the kernel would truncate is rejected', () => {
  assert.throws(() => commandLine(machineKind('armhf'), 'x'.repeat(1024)), {
    code: 'PITV_QEMU_COMMAND_LINE',
  });
});

const what = { disk: 'd', kernel: 'k', initrd: 'i', append: 'a', ports: new Map([[80, 1]]) };
/** QEMU's arguments for a board, with other options: what is in them, and what is not. */
const ARGUMENTS = /** @type {[string, object, RegExp, RegExp][]} */ ([
  ['armhf', {}, /hostfwd=tcp:127\.0\.0\.1:1-:80/, /hostfwd=tcp::/], // from this machine only
  ['armhf', {}, /-netdev user,id=net/, /usb-net/], // it is plugged in later
  ['armhf', {}, /if=sd/, /virtio/],
  ['armhf', { network: false }, /if=sd/, /netdev/],
  ['armhf', {}, /-serial stdio/, /-serial null/],
  ['arm64', {}, /-serial null -serial stdio/, /virtio/],
]);

for (const [board, more, contained, missing] of ARGUMENTS) {
  test(`QEMU's arguments for ${board} contain ${contained}, not ${missing}`, () => {
    const line = qemuArguments(machineKind(board), { ...what, ...more }).join(' ');
    assert.match(line, contained);
    assert.doesNotMatch(line, missing);
  });
}

test('a machine starts with one core, also the Pi 2, which QEMU always gives four', () => {
  assert.deepEqual(machineKind('armhf', 'virt').oneCore.args, ['-smp', '1']);
  const { args, append } = machineKind('armhf', 'raspi2b').oneCore;
  assert.deepEqual(args, ['-global', 'bcm2836.enabled-cpus=1']);
  assert.deepEqual(append, ['maxcpus=1']);
});

test('an unknown board or machine is rejected with a list of the known ones', () => {
  assert.throws(() => machineKind('z80'), { code: 'PITV_QEMU_UNKNOWN', message: /armhf: raspi2b/ });
  assert.throws(() => machineKind('armhf', 'pdp11'), { code: 'PITV_QEMU_UNKNOWN' });
});
