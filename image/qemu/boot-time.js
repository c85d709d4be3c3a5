/**
 * `make boot-time [BOARD=armel]`: measures the time from the start of the kernel until the TV is available,
 * for the card and for the same packages as Debian installs them. The emulated board counts instructions, so
 * the times are repeatable. Also shows when systemd-networkd and avahi have started, which the TV's early start delays, and
 * how large both cards are. Prints docs/results/start.md without its prose.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { conditions, startOfRun } from '../../bench/machine/conditions.js';
import { BOARDS } from '../boards.js';
import { buildCard } from '../build.js';
import { choose, program } from '../program.js';
import { Disk } from './disk.js';
import { COUNTING_MACHINES, NANOSECONDS, runJob } from './job.js';
import { machineKind } from './machines.js';

const SCRIPT = `systemctl is-system-running --wait >state
systemd-analyze critical-chain pitv.service --no-pager >chain
systemctl show -P UserspaceTimestampMonotonic >userspace
systemctl show -P ExecMainStartTimestampMonotonic pitv >begins
for unit in pitv systemd-networkd avahi-daemon; do
  systemctl show -P ActiveEnterTimestampMonotonic $unit >$unit
done
systemctl list-units --no-legend --state=active,failed --no-pager | wc -l >units
lsmod | wc -l >modules
`;
const US_PER_S = 1e6;
const MB = 1e6;

/** Columns of the table, by the file that the script writes; times in µs since the start of the kernel. */
const TIMES = {
  userspace: 'systemd begins, s',
  begins: 'the TV begins, s',
  pitv: 'the TV answers, s',
  'systemd-networkd': 'networkd, s',
  'avahi-daemon': 'avahi, s',
};

/**
 * Measures the start of a card.
 * @param {string} card a file @param {string} board
 * @returns {Promise<{cells: string[], chain: string}>} chain: the units for which the TV waits
 */
async function measureBoot(card, board) {
  const disk = await Disk.copyOf(card);
  try {
    const machineOptions = { board, machine: COUNTING_MACHINES[board] };
    const { files } = await runJob(disk, machineOptions, SCRIPT, { deterministic: true });
    const text = (/** @type {string} */ name) => (files.get(name) ?? '').trim();
    const times = Object.keys(TIMES).map((name) => (Number(text(name)) / US_PER_S).toFixed(2));
    const modules = Number(text('modules')) - 1; // without the header line
    return {
      cells: [...times, text('units'), String(modules), text('state')],
      chain: text('chain'),
    };
  } finally {
    await disk.remove();
  }
}

const HELP = `Usage: node image/qemu/boot-time.js [${Object.keys(COUNTING_MACHINES).join('|')}]`;

/** @param {unknown} _ @param {string[]} names */
async function main(_, names) {
  const name = choose(names, Object.keys(COUNTING_MACHINES), 'armel');
  const started = startOfRun();
  const rows = [];
  const chains = [];
  for (const untrimmed of [false, true]) {
    const { file, root } = await buildCard(BOARDS[name], { untrimmed });
    const { size } = await stat(join(root.folder, 'root.squashfs'));
    const { cells, chain } = await measureBoot(file, name);
    const what = untrimmed ? 'the same packages, untrimmed' : 'the card';
    rows.push(`| ${[what, ...cells, (size / MB).toFixed(0)].join(' | ')} |`);
    chains.push(`${what}:\n\n${chain.replace(/^/gm, '    ')}`);
  }
  const machine = machineKind(name, COUNTING_MACHINES[name]).name;
  const note = `The board is ${machine} of QEMU with counted instructions, ${NANOSECONDS} ns each, so load does not matter`;
  const head = ['', ...Object.values(TIMES), 'units', 'kernel modules', 'state', 'root, MB'];
  console.log(`${conditions({ command: `make boot-time BOARD=${name}`, ...started, note })}

| ${head.join(' | ')} |
|${' --- |'.repeat(head.length)}
${rows.join('\n')}

${chains.join('\n\n')}`);
}

await program(HELP, {}, main);
