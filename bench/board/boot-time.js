/**
 * `make boot-time [BOARD=armel]`: measures the time from the start of the kernel until the TV is available. The
 * emulated board counts instructions, so load hardly matters. Also shows when systemd-networkd and avahi have started,
 * which the TV's early start delays, and how large the root is. Prints a table.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { conditions, startOfRun } from '../machine/conditions.js';
import { markdownTable } from '../report/markdown.js';
import { BOARDS } from '../../image/boards.js';
import { buildCard } from '../../image/build.js';
import { choose, program } from '../../image/program.js';
import { median } from '../stats/stats.js';
import { withDisk } from '../../image/qemu/disk.js';
import { COUNTING_MACHINES, NANOSECONDS, runJob } from './job.js';
import { machineKind } from '../../image/qemu/machines.js';

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
/** Starts of a card whose disk takes this machine's time. */
const STARTS = 3;

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
 * @returns {Promise<{times: number[], cells: string[], chain: string}>} times: as in TIMES, s; cells: the other
 *   columns; chain: the units for which the TV waits
 */
async function measureBoot(card, board) {
  const options = { board, machine: COUNTING_MACHINES[board] };
  const { files } = await withDisk(card, (disk) => runJob(disk, options, SCRIPT));
  const text = (/** @type {string} */ name) => (files.get(name) ?? '').trim();
  const modules = Number(text('modules')) - 1; // without the header line
  return {
    times: Object.keys(TIMES).map((name) => Number(text(name)) / US_PER_S),
    cells: [text('units'), String(modules), text('state')],
    chain: text('chain'),
  };
}

const HELP = `Usage: node bench/board/boot-time.js [${Object.keys(COUNTING_MACHINES).join('|')}]`;

/** @param {unknown} _ @param {string[]} names */
async function main(_, names) {
  const name = choose(names, Object.keys(COUNTING_MACHINES), 'armel');
  const started = startOfRun();
  const { file, root } = await buildCard(BOARDS[name]);
  const { size } = await stat(join(root.folder, 'root.squashfs'));
  const machine = machineKind(name, COUNTING_MACHINES[name]).name;
  // The counted instructions of raspi1ap are the same each time, so one start is enough.
  const starts = machine === 'raspi1ap' ? 1 : STARTS;
  /** @type {Awaited<ReturnType<typeof measureBoot>>[]} */
  const boots = [];
  for (let n = 0; n < starts; n++) boots.push(await measureBoot(file, name));
  const times = Object.keys(TIMES).map((_, i) => median(boots.map((boot) => boot.times[i])));
  const [{ cells, chain }] = boots;
  const row = [
    ...times.map((time) => (time > 0 ? time.toFixed(2) : 'never')),
    ...cells,
    (size / MB).toFixed(0),
  ];
  const repeated =
    starts > 1 ? ` (its disk takes this machine's time); medians of ${starts} starts` : '';
  const note = `The board is ${machine} of QEMU with counted instructions, ${NANOSECONDS} ns each${repeated}`;
  const head = [...Object.values(TIMES), 'units', 'kernel modules', 'state', 'root, MB'];
  console.log(`${conditions({ command: `make boot-time BOARD=${name}`, ...started, note })}

${markdownTable(head, [row])}

${chain.replace(/^/gm, '    ')}`);
}

await program(import.meta, HELP, {}, main);
