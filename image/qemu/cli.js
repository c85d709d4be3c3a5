/**
 * `make qemu [BOARD=...]`: boots a card in an emulated board, with this terminal as its serial line and the
 * TV at http://localhost:18080, and with `KIOSK=1` its screen by VNC. The card is a temporary copy: changes to it are
 * lost.
 */
import { readFile } from 'node:fs/promises';
import { BOARDS } from '../boards.js';
import { buildCard } from '../build.js';
import { choose, program, usage } from '../program.js';
import { endOnSignals } from '../sd/shell.js';
import { openKey } from '../update/key.js';
import { withDisk } from './disk.js';
import { MAX_TIMEOUT_MS, Machine } from './machine.js';
import { listMachines } from './machines.js';

const VNC_PORT = 5900;
const SCREEN = { width: 1280, height: 720 };
const HELP = `Usage: node image/qemu/cli.js [${Object.keys(BOARDS).join('|')}] [options]
  --machine NAME   ${listMachines()}
  --card FILE      an .img (default: built if anything changed)
  --port N         port of the TV on this machine (default 18080)
  --settings FILE  a pitv.txt for the card
  --key DIR        the folder of \`make update-key\`: a card with two systems
  --kiosk          a card with a browser, on the machine virt, whose screen any VNC viewer shows at port ${VNC_PORT}
  --no-network     do not connect the network`;

/** ASCII code of Ctrl and ] */
const LEAVE = '\x1d';

const OPTIONS = /** @type {const} */ ({
  machine: { type: 'string' },
  card: { type: 'string' },
  port: { type: 'string', default: '18080' },
  settings: { type: 'string' },
  key: { type: 'string' },
  kiosk: { type: 'boolean' },
  'no-network': { type: 'boolean' },
});

await program(import.meta, HELP, OPTIONS, async (values, names) => {
  const board = BOARDS[choose(names, Object.keys(BOARDS), 'armhf')];
  const port = Number(values.port);
  if (!/^\d{1,5}$/.test(values.port) || port > 65535)
    throw usage('--port must be a number from 0 to 65535.');
  const { kiosk } = values;
  const key = await openKey(values.key, { development: true }); // nobody gets this card
  endOnSignals();
  const card = values.card ?? (await buildCard(board, { kiosk, keyring: key?.keyring })).file;
  await withDisk(card, async (disk) => {
    if (values.settings) await disk.write('pitv.txt', await readFile(values.settings));
    const machine = await Machine.start(disk, {
      board: board.name,
      machine: values.machine ?? (kiosk ? 'virt' : undefined),
      port,
      network: !values['no-network'],
      ...(kiosk && { screen: SCREEN, qemu: ['-vnc', '127.0.0.1:0'] }),
      onOutput: (text) => process.stdout.write(text),
    });
    const screen = kiosk ? `, its screen: vnc://localhost:${VNC_PORT}` : '';
    console.log(
      `\nWhen the TV has started: http://localhost:${port}${screen}. Press Ctrl and ] to end.\n`,
    );
    if (process.stdin.isTTY) process.stdin.setRawMode(true);
    process.stdin.setEncoding('utf8').on('data', (text) => {
      if (String(text).includes(LEAVE)) void machine.cut();
      else machine.type(String(text));
    });
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => machine.cut());
    await machine.ended({ timeoutMs: MAX_TIMEOUT_MS });
  }).finally(() => {
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
    process.stdin.destroy();
  });
});
