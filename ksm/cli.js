#!/usr/bin/env node
/** The command `pitv ksm`, and the program `pitv-ksm`. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { KsmController } from './controller.js';
import { KsmError } from './errors.js';
import { probeFeatures } from './features.js';
import { ControllerState, STATE_DIR } from './state.js';
import { formatEntry, formatStatus, gatherStatus } from './status.js';
import { SYSFS } from './sysfs.js';

/** Output of --help. */
const HELP = `Usage: pitv ksm <command> [options]

Kernel Same-page Merging: shows what it saves, and controls ksmd.

Commands
  status              show the merged memory of each process, and its cost
  on                  let ksmd scan until \`pitv ksm off\` (root)
  off                 restore the settings from before \`on\`, or stop ksmd (root)
  auto                scan when processes start, while it pays; Ctrl-C or SIGTERM
                      restores the settings (root)

Options
  --json              print a JSON object; auto: one per line
  --pages NUMBER      on: pages per batch, 1..1000000, default 1000
  --sleep MS          on: pause between batches, 1..60000, default 20
  --sharers NUMBER    on, auto: maximum sharers of a page, 2..1000000 (max_page_sharing)
  --unmerge           off: also split every merged page
  --state-dir DIR     on, off, auto: folder of the lock and of the original settings,
                      default ${STATE_DIR}
  -h, --help          show this help

Exit status: 0 success, 1 failure, 2 invalid usage.
`;

const OPTIONS = /** @type {const} */ ({
  json: { type: 'boolean' },
  pages: { type: 'string' },
  sleep: { type: 'string' },
  sharers: { type: 'string' },
  unmerge: { type: 'boolean' },
  'state-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
});

const SIGNALS = Object.freeze(/** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']));

/** The options of each command besides --help. */
const COMMANDS = Object.freeze({
  status: ['json'],
  on: ['json', 'pages', 'sleep', 'sharers', 'state-dir'],
  off: ['json', 'unmerge', 'state-dir'],
  auto: ['json', 'sharers', 'state-dir'],
});

/**
 * @typedef {object} Io
 * @property {(text: string) => void} out @property {(text: string) => void} err
 * @property {string} sysfs @property {AbortSignal} [signal] ends auto
 */

/** @typedef {NonNullable<ReturnType<typeof parse>>} Invocation */

/**
 * Runs a command.
 * @param {string[]} argv the arguments after `pitv ksm`
 * @param {Partial<Io>} [io] for tests
 * @returns {Promise<0 | 1 | 2>} the exit status
 */
export async function main(argv, io = {}) {
  /** @type {Io} */
  const complete = {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    sysfs: SYSFS,
    ...io,
  };
  const { out, err } = complete;
  try {
    const invocation = parse(argv);
    if (!invocation) {
      out(HELP);
      return 0;
    }
    await run(invocation, complete);
    return 0;
  } catch (error) {
    if (!(error instanceof KsmError)) throw error;
    err(`pitv ksm: ${error.message}\n`);
    return error.exitCode === 2 ? 2 : 1;
  }
}

/** @param {string} message */
const usage = (message) => new KsmError('KSM_USAGE', `${message} See \`pitv ksm --help\`.`);

/** @param {string[]} argv */
function parse(argv) {
  let parsed;
  try {
    parsed = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw usage(`${error instanceof Error ? error.message.split('. ')[0] : error}.`);
  }
  const { values, positionals } = parsed;
  const [name, ...rest] = positionals;
  if (values.help || name === 'help') return undefined;
  if (name === undefined) throw usage('A command is missing.');
  if (!Object.hasOwn(COMMANDS, name)) throw usage(`There is no command ${name}.`);
  if (rest.length > 0) throw usage(`${name} takes no ${rest[0]}.`);
  const command = /** @type {keyof typeof COMMANDS} */ (name);
  for (const option of Object.keys(values)) {
    if (!COMMANDS[command].includes(option)) throw usage(`${name} takes no --${option}.`);
  }
  return { command, values };
}

/**
 * Reads an option that is a whole number.
 * @param {Invocation['values']} values @param {'pages' | 'sleep' | 'sharers'} name
 * @param {{fallback?: number, min: number, max: number}} range
 */
function integer(values, name, { fallback, min, max }) {
  const given = values[name];
  if (given === undefined) return fallback;
  const value = Number(given);
  if (!/^\d+$/.test(String(given)) || value < min || value > max) {
    throw usage(`--${name} must be a whole number from ${min} to ${max}, not ${given}.`);
  }
  return value;
}

/** @param {Invocation} invocation @param {Io} io */
async function run({ command, values }, io) {
  const stateDir = String(values['state-dir'] ?? STATE_DIR);
  const json = values.json === true;
  if (command === 'status') return showStatus(json, io);
  const sharers = integer(values, 'sharers', { min: 2, max: 1e6 });
  if (command === 'auto') return auto(stateDir, json, sharers, io);
  /** @type {import('./sysfs.js').Settings} */
  const settings =
    command === 'off'
      ? { run: values.unmerge ? '2' : '0' }
      : {
          pages_to_scan: String(integer(values, 'pages', { fallback: 1000, min: 1, max: 1e6 })),
          sleep_millisecs: String(integer(values, 'sleep', { fallback: 20, min: 1, max: 60_000 })),
          ...(sharers !== undefined && { max_page_sharing: String(sharers) }),
          run: '1',
        };
  const written = change(command, settings, stateDir, io);
  if (json) io.out(`${JSON.stringify({ written })}\n`);
  else io.out(`${describe(written)}\n`);
}

/** @param {import('./sysfs.js').Settings} written */
function describe(written) {
  const changes = Object.entries(written).map(([name, value]) => `${name} = ${value}`);
  return changes.length > 0 ? `Set ${changes.join(', ')}.` : 'Nothing to change.';
}

/** @param {boolean} json @param {Io} io */
function showStatus(json, io) {
  const status = gatherStatus(io.sysfs);
  const features = probeFeatures({ sysfs: io.sysfs });
  if (json) return io.out(`${JSON.stringify({ ...status, features })}\n`);
  io.out(`${formatStatus(status)}\n`);
  for (const { name, reason } of features.missing) io.out(`not available: ${name} (${reason})\n`);
}

/**
 * Starts or stops ksmd.
 * @param {'on' | 'off'} command @param {import('./sysfs.js').Settings} settings @param {string} stateDir @param {Io} io
 */
function change(command, settings, stateDir, io) {
  const state = ControllerState.open(stateDir, io.sysfs);
  try {
    const recovered = state.recover(); // the settings from before an earlier `on` or a killed controller
    if (recovered && settings.run === '0') return recovered.restored;
    state.begin();
    const written = state.apply(settings);
    if (command === 'off') state.forget(); // it reads the state file of `on`, and leaves none
    return written;
  } finally {
    state.close();
  }
}

/** @param {string} stateDir @param {boolean} json @param {number | undefined} maxPageSharing @param {Io} io */
async function auto(stateDir, json, maxPageSharing, io) {
  const log = (/** @type {import('./controller.js').LogEntry} */ entry) =>
    io.out(
      json
        ? `${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`
        : `${formatEntry(entry)}\n`,
    );
  const controller = new KsmController({ sysfs: io.sysfs, stateDir, maxPageSharing, log });
  const atExit = () => controller.stop();
  process.once('exit', atExit); // an error elsewhere must not leave ksmd running
  // Listens before the first write, so that an early signal also restores the settings.
  const ended = new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
    for (const name of SIGNALS) process.once(name, resolve);
    io.signal?.addEventListener('abort', resolve, { once: true });
    if (io.signal?.aborted) resolve();
    controller.once('yield', resolve);
  });
  try {
    controller.start();
    await ended;
  } finally {
    controller.stop();
    process.removeListener('exit', atExit);
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
