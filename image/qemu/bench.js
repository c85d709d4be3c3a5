/**
 * `make bench-image [BOARD=armel]`: boots the card in an emulated board that counts instructions instead
 * of time, runs the harness inside, load and all, and brings the results out. The same card gives the
 * same figures, whatever else this machine does: `--times 2` shows it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';
import { BOARDS } from '../boards.js';
import { buildCard } from '../build.js';
import { choose, program, usage } from '../program.js';
import { Disk } from './disk.js';
import { COUNTED, NANOSECONDS, runJob } from './job.js';
import { machineKind } from './machines.js';
import { compareRuns, tellRepeat } from './repeat.js';

const OUT = join(dirname(fileURLToPath(import.meta.url)), '../out/bench');

/** What `pitv bench` is asked for; what follows `--` takes its place. */
export const BENCH = Object.freeze(['paper', '--quick', '--runs', '1', '--workers', '1,2,4']);

const HELP = `Usage: node image/qemu/bench.js [${Object.keys(COUNTED).join('|')}] [options] [-- bench options]
  --machine NAME   ${Object.entries(COUNTED)
    .map(([board, machine]) => `${board}: ${machine}`)
    .join(', ')}
  --times N        so many runs, side by side, held against the first; exits 1 if they differ (default 1)
  --out DIR        BOARD.json and what was printed go there (default image/out/bench)
  --card FILE      an .img (default: built if anything changed)
  -- ARGS          of pitv bench (default: ${BENCH.join(' ')})`;

/** Of the serial line, where the harness tells its progress and its errors. */
const SAID_CHARACTERS = 2000;

/** All of the paper's experiments are most of an hour of a core, and there may be less than one. */
const TIMEOUT_MS = 4 * 3_600_000;

/** Keeps the card's own TV off, which would disturb the measurement. */
const OFF = ['pitv.service', 'pitv-console.service', 'avahi-daemon.service', 'ssh.service'];

/**
 * @param {string} card a file
 * @param {string} board
 * @param {object} [options]
 * @param {string} [options.machine]
 * @param {readonly string[]} [options.bench] arguments of `pitv bench`
 * @param {(text: string) => void} [options.onOutput] what the serial line says
 * @returns {Promise<{results: import('../../bench/report/results.js').Results, csv: string, output: string, elapsedMs: number}>}
 * @throws {PitvError} PITV_QEMU_JOB when the harness gave no results, and those of runJob
 */
export async function benchmark(card, board, { machine, bench = BENCH, onOutput } = {}) {
  const name = machineKind(board, machine ?? COUNTED[board]).name;
  const virtual = `emulated by QEMU's ${name}, instructions counted at ${NANOSECONDS} ns each, without caches`;
  // On the card and not in memory: a copy of Node there would count as shared memory.
  const command = ['pitv', 'bench', ...bench, '--seed', '1', '--json', '/tmp/result/results.json'];
  const more = ['--csv', '/tmp/result/samples.csv', ...(bench[0] === 'paper' ? OUT_ON_CARD : [])];
  const script = `export PITV_BENCH_VIRTUAL="${virtual}" TMPDIR=/data/bench
mount -o remount,exec /data
mkdir -p /data/bench
${[...command, ...more].join(' ')} 2>/dev/console
`;
  const disk = await Disk.copyOf(card);
  try {
    const append = OFF.map((unit) => `systemd.mask=${unit}`);
    const how = { board, machine: name, append, onOutput };
    const until = { timeoutMs: TIMEOUT_MS, deterministic: true };
    const job = await runJob(disk, how, script, until);
    const { files, elapsedMs } = job;
    const output = files.get('output') ?? '';
    const json = files.get('results.json');
    if (!json) {
      const said = `${output}\n${job.console.slice(-SAID_CHARACTERS)}`;
      throw new PitvError('PITV_QEMU_JOB', `The harness gave no results.\n${said}`);
    }
    return { results: JSON.parse(json), csv: files.get('samples.csv') ?? '', output, elapsedMs };
  } finally {
    await disk.remove();
  }
}

const OUT_ON_CARD = ['--out', '/data/bench'];

const OPTIONS = /** @type {const} */ ({
  machine: { type: 'string' },
  times: { type: 'string', default: '1' },
  out: { type: 'string', default: OUT },
  card: { type: 'string' },
});

/** Before -- our own arguments, behind it the harness's. */
const argv = process.argv.slice(2);
const dashes = argv.includes('--') ? argv.indexOf('--') : argv.length;

/** @type {Parameters<typeof program<typeof OPTIONS>>[2]} */
async function main(values, names) {
  const board = choose(names, Object.keys(COUNTED), 'armel');
  const times = Number(values.times);
  if (!Number.isInteger(times) || times < 1) throw usage('--times is a number, 1 or more.');
  const card = values.card ?? (await buildCard(BOARDS[board])).file;
  const bench = dashes < argv.length ? argv.slice(dashes + 1) : BENCH;
  const out = resolve(values.out);
  await mkdir(out, { recursive: true });
  // Of this machine: the board's own clock says the same in every run.
  const startedAt = new Date().toISOString();
  const run = async (/** @type {number} */ time) => {
    const watched = process.stdout.isTTY && time === 1;
    const onOutput = watched
      ? (/** @type {string} */ text) => process.stdout.write(text)
      : undefined;
    const found = await benchmark(card, board, { machine: values.machine, bench, onOutput });
    const seconds = (found.elapsedMs / 1000).toFixed(0);
    console.log(`pitv bench ${bench.join(' ')} on ${board}: ${seconds} s`);
    const at = (/** @type {string} */ ending) =>
      join(out, `${board}${time > 1 ? `-${time}` : ''}${ending}`);
    const results = { ...found.results, startedAt };
    await writeFile(at('.json'), `${JSON.stringify(results, null, 2)}\n`);
    await writeFile(at('.csv'), found.csv);
    await writeFile(at('.txt'), found.output);
    if (results.failures.length > 0) process.exitCode = 1; // it is in what was printed
    return found;
  };
  // No load on this machine changes what is counted.
  const [first, ...others] = await Promise.all(Array.from({ length: times }, (_, i) => run(i + 1)));
  for (const other of others) {
    const repeat = compareRuns(first.results, other.results);
    console.log(tellRepeat(repeat));
    if (repeat.same < repeat.numbers || repeat.missing.length > 0) process.exitCode = 1;
  }
  console.log(`${first.output}\n${join(out, `${board}.json`)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await program(HELP, OPTIONS, main, argv.slice(0, dashes));
}
