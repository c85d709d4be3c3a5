/** Tests of plugging in the network while the board runs, and of QMP. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { Machine } from '../../image/qemu/machine.js';
import { Qmp } from '../../image/qemu/qmp.js';
import { plugIn } from '../../image/qemu/usb-network.js';
import { temporaryFolder } from '../support/folders.js';

/** @param {import('node:test').TestContext} t a machine that echoes the text typed on its serial line */
function echo(t) {
  const machine = new Machine(spawn('cat'), new Map(), { board: 'armhf' });
  t.after(() => machine.close());
  return machine;
}

test('it is plugged in when there is a port, and again until it is detected', async (t) => {
  const machine = echo(t);
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

test('it fails if the machine ends', async (t) => {
  const machine = echo(t);
  const plugged = plugIn(machine, /** @type {any} */ ({}), 'net');
  await machine.cut();
  await assert.rejects(plugged, { code: 'PITV_QEMU_ENDED' });
});

test('answers of QEMU are matched to commands despite events in between; refusals are errors', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'qmp');
  const server = net.createServer((socket) => {
    socket.write('{"QMP": {"version": {}}}\r\n');
    createInterface({ input: socket }).on('line', (line) => {
      const { execute, arguments: args } = JSON.parse(line);
      socket.write('{"event": "RESUME"}\r\n');
      if (execute === 'quit') socket.destroy();
      else if (args?.wrong)
        socket.write('{"error": {"class": "GenericError", "desc": "no bus"}}\r\n');
      else socket.write(`${JSON.stringify({ return: execute })}\r\n`);
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
  await assert.rejects(
    Qmp.connect(join(folder, 'none'), () => false),
    { code: 'PITV_QEMU_ENDED' },
  );
});
