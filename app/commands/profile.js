/** `pitv profile`: profiles a TV under load. */
import { access, constants, writeFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { SWITCH, TEXT } from '../config/flags.js';
import { PitvError, messageOf } from '../errors.js';
import { print, printError } from './common/output.js';

export const summary =
  'profile a TV under load: print a summary, write CPU profiles for flame graphs';

const SCENARIOS = ['login', 'lobby', 'match', 'collide'];
const ENGINES = ['auto', 'process', 'thread', 'zygote'];
const HASHES = ['pool', 'sync'];
const SIGNAL_STATUS = Object.freeze({ SIGINT: 130, SIGTERM: 143 });

export const help = `Usage: pitv profile [options]

Starts another TV, puts load on it, prints the hottest functions of its threads and writes their CPU profiles.

  --scenario NAME    ${SCENARIOS.join(' | ')}; default login
                     login: logins; lobby: pages and API; match: bumper with pads; collide: 2000 bodies
  --seconds N        1..600, default 20
  --connections N    1..256, default 20
  --workers          also profile the workers of the matches
  --engine NAME      ${ENGINES.join(' | ')}: the engine that runs the matches; default auto
  --hash HOW         ${HASHES.join(' | ')}: login only; the TV itself never hashes synchronously
  -o, --out FILE     CPU profile, for a flame graph in Chrome's DevTools, VS Code or speedscope;
                     default pitv-profile-SCENARIO.cpuprofile, with --workers one more file per worker;
                     "-" writes no file

login and lobby need autocannon, an optional dependency of pitv. To profile a running TV, use its admin page.
For names of C++ functions, run \`node --prof\` and \`node --prof-process\`.
`;
export const options = {
  scenario: TEXT,
  seconds: TEXT,
  connections: TEXT,
  workers: SWITCH,
  engine: TEXT,
  hash: TEXT,
  out: { ...TEXT, short: 'o' },
};

/** @param {Record<string, any>} flags @returns {Promise<number>} */
export async function run(flags) {
  const scenario = parseChoice('scenario', flags.scenario, SCENARIOS);
  const { out = `pitv-profile-${scenario}.cpuprofile` } = flags;
  if (out !== '-') await access(dirname(resolve(out)), constants.W_OK).catch(unwritable(out));
  const stop = new AbortController();
  let status = 0;
  const onSignal = (/** @type {'SIGINT' | 'SIGTERM'} */ signal) => {
    status = SIGNAL_STATUS[signal];
    stop.abort(new PitvError('PITV_CANCELLED', 'The profile was cancelled.'));
  };
  const plan = {
    scenario,
    seconds: parseNumber('seconds', flags.seconds, 20, 600),
    connections: parseNumber('connections', flags.connections, 20, 256),
    engine: parseChoice('engine', flags.engine, ENGINES),
    hash: /** @type {'pool' | 'sync'} */ (parseChoice('hash', flags.hash, HASHES)),
    workers: flags.workers === true,
    signal: stop.signal,
    onProgress: (/** @type {string} */ step) => {
      if (process.stderr.isTTY) printError(`pitv profile: ${step} ...\n`);
    },
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, onSignal);
  try {
    const [{ profile }, { profileText }] = await Promise.all([
      import('../../bench/profile/run.js'),
      import('../../bench/profile/text.js'),
    ]);
    const result = await profile(plan);
    const files = out === '-' ? [] : result.threads.map((_, i) => pathOf(out, i));
    for (const [i, file] of files.entries()) {
      await writeFile(file, JSON.stringify(result.threads[i].profile)).catch(unwritable(file));
    }
    print(profileText(result));
    for (const [i, file] of files.entries()) {
      print(`\nCPU profile of ${result.threads[i].name}: ${resolve(file)}`);
    }
    if (files.length > 0) print('\n');
    return 0;
  } catch (error) {
    if (status === 0) throw error;
    printError(`pitv: ${messageOf(stop.signal.reason)}\n`);
    return status;
  } finally {
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
      process.off(signal, onSignal);
  }
}

/** Returns the path of a profile. @param {string} path of the main thread's @param {number} i 0: main thread */
function pathOf(path, i) {
  const end = path.length - extname(path).length;
  return i === 0 ? path : `${path.slice(0, end)}.worker-${i}${path.slice(end)}`;
}

/** @param {string} path @returns {(cause: unknown) => never} throws PITV_PROFILE_OUT */
const unwritable = (path) => (cause) => {
  const sentence = `The CPU profile cannot be written to ${path}: ${messageOf(cause)}.`;
  throw new PitvError('PITV_PROFILE_OUT', sentence, { cause });
};

/** @param {string} name @param {unknown} given @param {string[]} names the first is the default */
function parseChoice(name, given, names) {
  const value = String(given ?? names[0]);
  if (names.includes(value)) return value;
  const sentence = `--${name} must be ${names.join(' | ')}, not "${value.slice(0, 40)}".`;
  throw new PitvError('PITV_USAGE', sentence);
}

/** @param {string} name @param {unknown} given @param {number} defaultValue @param {number} max */
function parseNumber(name, given, defaultValue, max) {
  const number = Number(given ?? defaultValue);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  const sentence = `--${name} must be 1..${max}, not "${String(given).slice(0, 40)}".`;
  throw new PitvError('PITV_USAGE', sentence);
}
