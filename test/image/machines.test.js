import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MACHINES, commandLine, machineKind, qemuArguments } from '../../image/qemu/machines.js';
import { KERNEL_COMMAND_LINE } from '../../image/sd/card.js';

test("each board has a machine, and every machine's command line fits", () => {
  for (const [board, kinds] of Object.entries(MACHINES)) {
    assert.equal(machineKind(board).name, Object.keys(kinds)[0]);
    for (const kind of Object.values(kinds)) commandLine(kind, KERNEL_COMMAND_LINE);
  }
});

test("the card's own words stay, QEMU's console takes the place of the television", () => {
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

test('a command line that the kernel would cut off is refused', () => {
  assert.throws(() => commandLine(machineKind('armhf'), 'x'.repeat(1024)), {
    code: 'PITV_QEMU_COMMAND_LINE',
  });
});

test('ports are forwarded from this machine only; without a cable there is no net', () => {
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
  assert.ok(!args.includes('usb-net'), 'it is put in later');
  assert.match(args, /if=sd/);
  assert.ok(
    !/netdev/.test(qemuArguments(machineKind('armhf'), { ...what, network: false }).join(' ')),
  );
});

test('the serial line that is read is the one the kernel writes to', () => {
  const what = { disk: 'd', kernel: 'k', initrd: 'i', append: 'a' };
  assert.match(qemuArguments(machineKind('arm64'), what).join(' '), /-serial null -serial stdio/);
  assert.match(qemuArguments(machineKind('armhf'), what).join(' '), /-serial stdio/);
});

test('an unknown board or machine is named, with those there are', () => {
  assert.throws(() => machineKind('z80'), { code: 'PITV_QEMU_UNKNOWN', message: /armhf: raspi2b/ });
  assert.throws(() => machineKind('armhf', 'pdp11'), { code: 'PITV_QEMU_UNKNOWN' });
});
