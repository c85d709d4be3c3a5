/**
 * `make qemu [BOARD=...]`: boots a card in an emulated board, with this terminal as its serial line and the
 * TV at http://localhost:18080. The card is a temporary copy: changes to it are lost.
 */
import { BOARDS } from '../boards.js';
import { buildCard } from '../build.js';
import { choose, program, usage } from '../program.js';
import { endOnSignals } from '../sd/shell.js';
import { Disk } from './disk.js';
import { Machine } from './machine.js';
import { MACHINES } from './machines.js';

const TV_PORT = 80;
const HELP = `Usage: node image/qemu/cli.js [${Object.keys(BOARDS).join('|')}] [options]
  --machine NAME   ${Object.entries(MACHINES)
    .map(([board, kinds]) => `${board}: ${Object.keys(kinds).join(', ')}`)
    .join('; ')}
  --card FILE      an .img (default: built if anything changed)
  --port N         port of the TV on this machine (default 18080)
  --settings FILE  a pitv.txt for the card
  --no-network     do not connect the network`;

/** ASCII code of Ctrl and ] */
const LEAVE = '\x1d';

const OPTIONS = /** @type {const} */ ({
  machine: { type: 'string' },
  card: { type: 'string' },
  port: { type: 'string', default: '18080' },
  settings: { type: 'string' },
  'no-network': { type: 'boolean' },
});

/** @type {Parameters<typeof program<typeof OPTIONS>>[2]} */
async function main(values, names) {
  const board = BOARDS[choose(names, Object.keys(BOARDS), 'armhf')];
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65535)
    throw usage('--port must be a number from 0 to 65535.');
  endOnSignals();
  const disk = await Disk.copyOf(values.card ?? (await buildCard(board)).file);
  try {
    if (values.settings) await disk.put(values.settings, 'pitv.txt');
    const machine = await Machine.start(disk, {
      board: board.name,
      machine: values.machine,
      ports: [TV_PORT],
      hostPorts: { [TV_PORT]: Number(values.port) },
      network: !values['no-network'],
      onOutput: (text) => process.stdout.write(text),
    });
    console.log(
      `\nWhen the TV has started: http://localhost:${values.port}. Press Ctrl and ] to end.\n`,
    );
    if (process.stdin.isTTY) process.stdin.setRawMode(true);
    process.stdin.setEncoding('utf8').on('data', (text) => {
      if (String(text).includes(LEAVE)) void machine.cut();
      else machine.type(String(text));
    });
    process.once('SIGINT', () => machine.cut());
    process.once('SIGTERM', () => machine.cut());
    await machine.ended({ timeoutMs: 2 ** 31 - 1 });
  } finally {
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
    process.stdin.destroy();
    await disk.remove();
  }
}

await program(HELP, OPTIONS, main);
