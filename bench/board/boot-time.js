/**
 * `make boot-time [BOARD=armel]`: measures the time from the start of the kernel until the TV is available; on arm64,
 * for cards with one and two systems. The emulated board counts instructions, so load hardly matters. Also shows when
 * systemd-networkd and avahi have started, which the TV's early start delays, and how large the root is. Prints its
 * tables.
 *
 * On arm64, it also measures from power on, where U-Boot starts one of the two systems. That takes this machine's time,
 * so both cards start in turn.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { conditions, startOfRun } from '../machine/conditions.js';
import { markdownTable } from '../report/markdown.js';
import { BOARDS } from '../../image/boards.js';
import { buildCard } from '../../image/build.js';
import { choose, program } from '../../image/program.js';
import { developmentKey } from '../../image/update/key.js';
import { median } from '../stats/stats.js';
import { withDisk } from '../../image/qemu/disk.js';
import { COUNTING_MACHINES, NANOSECONDS, runJob } from './job.js';
import { withMachine } from '../../image/qemu/machine.js';
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
/** Starts of each card, in turn. */
const STARTS = 3;
const START_MS = 15 * 60_000;

/** Columns of the table, by the file that the script writes; times in µs since the start of the kernel. */
const TIMES = {
  userspace: 'systemd begins, s',
  begins: 'the TV begins, s',
  pitv: 'the TV answers, s',
  'systemd-networkd': 'networkd, s',
  'avahi-daemon': 'avahi, s',
};
/** What the serial line shows of a start, by the column of the table. */
const MOMENTS = {
  'the kernel begins, s': /Booting Linux on/,
  'the TV answers, s': /Started.*pitv\.service/,
};

/** @typedef {{what: string, file: string, rootBytes: number}} Card */

/**
 * Measures the start of a card.
 * @param {string} card a file @param {string} board
 * @returns {Promise<{times: number[], cells: string[], chain: string}>} times: as in TIMES, s; cells: the other
 *   columns; chain: the units for which the TV waits
 */
async function measureBoot(card, board) {
  const options = { board, machine: COUNTING_MACHINES[board] };
  const { files } = await withDisk(card, (disk) =>
    runJob(disk, options, SCRIPT, { deterministic: true }),
  );
  const text = (/** @type {string} */ name) => (files.get(name) ?? '').trim();
  const modules = Number(text('modules')) - 1; // without the header line
  return {
    times: Object.keys(TIMES).map((name) => Number(text(name)) / US_PER_S),
    cells: [text('units'), String(modules), text('state')],
    chain: text('chain'),
  };
}

/**
 * Measures the time from power on, on the board itself.
 * @param {string} card a file @param {string} board @returns {Promise<number[]>} of MOMENTS, s
 */
const measureStart = (card, board) =>
  withDisk(card, (disk) =>
    withMachine(disk, { board, network: false }, async (machine) => {
      const times = [];
      for (const pattern of Object.values(MOMENTS)) {
        await machine.waitFor(pattern, { timeoutMs: START_MS });
        times.push(machine.ageMs / 1000);
      }
      return times;
    }),
  );

/**
 * Measures cards in turn.
 * @template T
 * @param {Card[]} cards @param {number} starts @param {(file: string) => Promise<T>} start
 * @returns {Promise<T[][]>} by card
 */
async function inTurn(cards, starts, start) {
  /** @type {T[][]} */
  const found = cards.map(() => []);
  for (let n = 0; n < starts; n++)
    for (const [i, { file }] of cards.entries()) found[i].push(await start(file));
  return found;
}

/**
 * Measures cards in turn, from power on.
 * @param {Card[]} cards @param {string} board
 * @returns {Promise<string>} a table with the medians and the ranges
 */
async function compareStarts(cards, board) {
  const moments = Object.keys(MOMENTS);
  const times = await inTurn(cards, STARTS, (file) => measureStart(file, board));
  const cell = (/** @type {number[]} */ own) =>
    `${median(own).toFixed(1)} (${Math.min(...own).toFixed(1)} to ${Math.max(...own).toFixed(1)})`;
  const rows = cards.map(({ what }, i) => [
    what,
    ...moments.map((_, j) => cell(times[i].map((start) => start[j]))),
  ]);
  const { name } = machineKind(board);
  return `From power on, on ${name} of QEMU, in this machine's time; medians and ranges of ${STARTS} starts in turn. One system is
started by QEMU, of two by U-Boot:

${markdownTable(['', ...moments], rows)}`;
}

/** Builds the cards that are measured. @param {string} name of a board @returns {Promise<Card[]>} */
async function buildCards(name) {
  const keyrings = [undefined, ...(name === 'arm64' ? [(await developmentKey()).keyring] : [])];
  const cards = [];
  for (const keyring of keyrings) {
    const { file, root } = await buildCard(BOARDS[name], { keyring });
    const { size } = await stat(join(root.folder, 'root.squashfs'));
    cards.push({ what: keyring ? 'two systems' : 'one system', file, rootBytes: size });
  }
  return cards;
}

const HELP = `Usage: node bench/board/boot-time.js [${Object.keys(COUNTING_MACHINES).join('|')}]`;

/** @param {unknown} _ @param {string[]} names */
async function main(_, names) {
  const name = choose(names, Object.keys(COUNTING_MACHINES), 'armel');
  const started = startOfRun();
  const cards = await buildCards(name);
  const machine = machineKind(name, COUNTING_MACHINES[name]).name;
  // The counted instructions of raspi1ap are the same each time, so one start is enough.
  const starts = machine === 'raspi1ap' ? 1 : STARTS;
  const boots = await inTurn(cards, starts, (file) => measureBoot(file, name));
  const rows = cards.map(({ what, rootBytes }, i) => {
    const times = Object.keys(TIMES).map((_, j) => median(boots[i].map((boot) => boot.times[j])));
    const shown = times.map((time) => time.toFixed(2));
    return [what, ...shown, ...boots[i][0].cells, (rootBytes / MB).toFixed(0)];
  });
  const chains = cards.map(
    ({ what }, i) => `${what}:\n\n${boots[i][0].chain.replace(/^/gm, '    ')}`,
  );
  const fromPower = name === 'arm64' ? `\n${await compareStarts(cards, name)}\n` : '';
  const counted = `counted instructions, ${NANOSECONDS} ns each`;
  const repeated =
    starts > 1 ? ` (its disk takes this machine's time); medians of ${starts} starts in turn` : '';
  const note = `The board is ${machine} of QEMU with ${counted}${repeated}`;
  const head = ['', ...Object.values(TIMES), 'units', 'kernel modules', 'state', 'root, MB'];
  console.log(`${conditions({ command: `make boot-time BOARD=${name}`, ...started, note })}

${markdownTable(head, rows)}
${fromPower}
${chains.join('\n\n')}`);
}

await program(import.meta, HELP, {}, main);
