/**
 * `make bench-image [BOARD=armel]`: boots the card in an emulated board that counts instructions instead of
 * time, runs the benchmarks in it, and copies the results out. On raspi1ap the same card always gives the same
 * figures, regardless of the load on this machine. On virt the disk takes the time of this machine, so figures differ
 * between runs.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';
import { BOARDS } from '../../image/boards.js';
import { prepareStorage } from '../commands/common/measure.js';
import { buildCard } from '../../image/build.js';
import { choose, program } from '../../image/program.js';
import { words } from '../../image/sd/shell.js';
import { withDisk } from '../../image/qemu/disk.js';
import { COUNTING_MACHINES, NANOSECONDS, runJob } from './job.js';
import { machineKind } from '../../image/qemu/machines.js';

const OUT = join(dirname(fileURLToPath(import.meta.url)), '../../image/out/bench');

/** Default arguments of `pitv bench`. Arguments after `--` replace them. */
const BENCH = Object.freeze(['paper', '--quick', '--runs', '1', '--workers', '1,2,4']);

const HELP = `Usage: node bench/board/run.js [${Object.keys(COUNTING_MACHINES).join('|')}] [options] [-- bench options]
  --out DIR        folder for BOARD.json and the output (default image/out/bench)
  --card FILE      an .img (default: built if anything changed)
  --publish NAME   stores the results as bench/results/NAME.json.gz
  -- ARGS          arguments of pitv bench (default: ${BENCH.join(' ')})`;

/** How much of the serial line is part of an error. The harness prints its progress and errors there. */
const TAIL_CHARACTERS = 2000;

/** All of the paper's experiments take most of an hour of a core. */
const TIMEOUT_MS = 4 * 3_600_000;

/** Units that are not started, because they would disturb the measurement. */
const MASKED_UNITS = words`pitv.service pitv-console.service avahi-daemon.service ssh.service`;

/**
 * Runs benchmarks on a card.
 * @param {string} card a file @param {string} board
 * @param {readonly string[]} bench arguments of `pitv bench`
 * @param {(text: string) => void} onOutput receives the text of the serial line
 * @returns {Promise<{results: import('../report/results.js').Results, output: string, elapsedMs: number}>}
 * @throws {PitvError} PITV_QEMU_JOB if there are no results, and the errors of runJob()
 */
async function benchmark(card, board, bench, onOutput) {
  const { name } = machineKind(board, COUNTING_MACHINES[board]);
  const virtual = `emulated by QEMU's ${name}, instructions counted at ${NANOSECONDS} ns each, without caches`;
  // Temporary files on the card, because a copy of Node.js in memory would count as shared memory.
  const command = ['pitv', 'bench', ...bench, '--seed', '1', '--json', '/tmp/result/results.json'];
  if (bench[0] === 'paper') command.push('--out', '/data/bench');
  const script = `export PITV_BENCH_VIRTUAL="${virtual}" TMPDIR=/data/bench
mount -o remount,exec /data
mkdir -p /data/bench
${command.join(' ')} 2>/dev/console
`;
  const append = MASKED_UNITS.map((unit) => `systemd.mask=${unit}`);
  const options = { board, machine: name, append, onOutput };
  const job = await withDisk(card, (disk) => runJob(disk, options, script, TIMEOUT_MS));
  const { files, elapsedMs } = job;
  const output = files.get('output') ?? '';
  const json = files.get('results.json');
  if (!json) {
    const tail = `${output}\n${job.console.slice(-TAIL_CHARACTERS)}`;
    throw new PitvError('PITV_QEMU_JOB', `The benchmarks gave no results.\n${tail}`);
  }
  return { results: JSON.parse(json), output, elapsedMs };
}

const OPTIONS = /** @type {const} */ ({
  out: { type: 'string', default: OUT },
  card: { type: 'string' },
  publish: { type: 'string' },
});

/** Arguments before -- are for this program, those after it for `pitv bench`. */
const argv = process.argv.slice(2);
const dashes = argv.includes('--') ? argv.indexOf('--') : argv.length;

/** @type {Parameters<typeof program<typeof OPTIONS>>[3]} */
async function main(values, names) {
  const board = choose(names, Object.keys(COUNTING_MACHINES), 'armel');
  const bench = dashes < argv.length ? argv.slice(dashes + 1) : BENCH;
  const given = bench === BENCH ? '' : ` ARGS="-- ${bench.join(' ')}"`;
  const command = `make bench-image BOARD=${board}${given}`;
  const publish = values.publish && prepareStorage(values.publish, command);
  const card = values.card ?? (await buildCard(BOARDS[board])).file;
  const out = resolve(values.out);
  await mkdir(out, { recursive: true });
  // The time of this machine, because the board's clock is the same in every run.
  const startedAt = new Date().toISOString();
  const onOutput = (/** @type {string} */ text) =>
    void (process.stdout.isTTY && process.stdout.write(text));
  const found = await benchmark(card, board, bench, onOutput);
  console.log(
    `pitv bench ${bench.join(' ')} on ${board}: ${(found.elapsedMs / 1000).toFixed(0)} s`,
  );
  const results = { ...found.results, startedAt };
  const file = join(out, `${board}.json`);
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(join(out, `${board}.txt`), found.output);
  if (results.failures.length > 0) process.exitCode = 1; // the output has the failures
  if (publish) publish(results);
  console.log(`${found.output}\n${file}`);
}

await program(import.meta, HELP, OPTIONS, main, argv.slice(0, dashes));
