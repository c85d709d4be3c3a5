/** `pitv profile`: where the time goes in a TV under load. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseFlags } from '../config/flags.js';
import { PitvError, messageOf } from '../errors.js';

export const summary = 'where the time goes: a TV under load and the tick profiler, a flame graph';

const SCENARIOS = ['login', 'lobby', 'match', 'collide'];
const ENGINES = ['process', 'thread', 'zygote'];
const HASHES = ['pool', 'sync'];
const SIGNAL_STATUS = Object.freeze({ SIGINT: 130, SIGTERM: 143 });

const HELP = `Usage: pitv profile [options]

Starts a TV of its own under V8's tick profiler, keeps it busy, and prints what its threads did:
JavaScript, C++, garbage collection, shared libraries; the hottest functions and who called them.

  --scenario NAME    ${SCENARIOS.join(' | ')}; default login
                     login: logins, lobby: pages and API, match: bumper with pads, collide: 2000 bodies
  --seconds N        1..600, default 20
  --connections N    1..256, default 20
  --workers          the workers of the matches as well
  --engine NAME      ${ENGINES.join(' | ')}: what a match runs in, default process,
                     or thread where the native addon is not built
  --hash HOW         ${HASHES.join(' | ')}: login only; sync is what the TV never does, to see the difference
  -o, --out FILE     the flame graph, default pitv-profile-SCENARIO.html; "-" for none
  --json             everything as one JSON object on stdout

login and lobby need autocannon, which npm installs with pitv unless told not to; match and collide
need nothing. Names of C++ functions need nm (Debian: binutils).
A TV that runs is looked into on its admin page.
`;

/** @param {string[]} argv */
export async function run(argv) {
  const text = /** @type {const} */ ({ type: 'string' });
  const boolean = /** @type {const} */ ({ type: 'boolean' });
  const flags = parseFlags(
    argv.map((word) => (word === '-o' ? '--out' : word)),
    {
      scenario: text,
      seconds: text,
      connections: text,
      workers: boolean,
      engine: text,
      hash: text,
      out: text,
      json: boolean,
    },
    'pitv profile',
  );
  if (flags.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const scenario = oneOf('scenario', flags.scenario, SCENARIOS);
  const out = String(flags.out ?? `pitv-profile-${scenario}.html`);
  const stop = new AbortController();
  let status = 0;
  const onSignal = (/** @type {'SIGINT' | 'SIGTERM'} */ signal) => {
    status = SIGNAL_STATUS[signal];
    stop.abort(new PitvError('PITV_CANCELLED', 'It was ended; nothing is left of it.'));
  };
  const options = {
    scenario,
    seconds: numberOf('seconds', flags.seconds, 20, 600),
    connections: numberOf('connections', flags.connections, 20, 256),
    engine: /** @type {'process' | 'thread' | 'zygote'} */ (
      oneOf('engine', flags.engine ?? (await usualEngine()), ENGINES)
    ),
    hash: /** @type {'pool' | 'sync'} */ (oneOf('hash', flags.hash, HASHES)),
    workers: flags.workers === true,
    signal: stop.signal,
    onProgress: (/** @type {string} */ step) => {
      if (process.stderr.isTTY) process.stderr.write(`pitv profile: ${step} ...\n`);
    },
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, onSignal);
  try {
    const [{ profile }, { profileText }, { flamePage }] = await Promise.all([
      import('../../bench/profile/run.js'),
      import('../../bench/profile/text.js'),
      import('../../bench/profile/flame.js'),
    ]);
    const result = await profile(options);
    if (out !== '-') await save(out, await flamePage(result));
    if (flags.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else {
      process.stdout.write(profileText(result));
      if (out !== '-') process.stdout.write(`\nFlame graph: ${resolve(out)}\n`);
    }
    return 0;
  } catch (error) {
    if (status === 0) throw error;
    process.stderr.write(`pitv: ${messageOf(stop.signal.reason)}\n`);
    return status;
  } finally {
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
      process.off(signal, onSignal);
  }
}

/** @param {string} path @param {string} html */
async function save(path, html) {
  try {
    await writeFile(path, html);
  } catch (cause) {
    const sentence = `The flame graph cannot be written to ${path}: ${messageOf(cause)}.`;
    throw new PitvError('PITV_PROFILE_OUT', sentence, { cause });
  }
}

/** @returns {Promise<string>} the one whose workers are profiled best, of those that work here */
async function usualEngine() {
  const { native } = await import('../native/native.js');
  try {
    native();
    return 'process';
  } catch {
    return 'thread';
  }
}

/** @param {string} name @param {unknown} given @param {string[]} names the first is the default */
function oneOf(name, given, names) {
  const value = String(given ?? names[0]);
  if (names.includes(value)) return value;
  throw new PitvError(
    'PITV_USAGE',
    `--${name} may be ${names.join(' | ')}, not "${value.slice(0, 40)}".`,
  );
}

/** @param {string} name @param {unknown} given @param {number} usual @param {number} most */
function numberOf(name, given, usual, most) {
  const number = Number(given ?? usual);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new PitvError(
    'PITV_USAGE',
    `--${name} may be 1..${most}, not "${String(given).slice(0, 40)}".`,
  );
}
