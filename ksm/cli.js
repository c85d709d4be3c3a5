#!/usr/bin/env node
/** `pitv ksm <command>`, also as a program of its own: pitv-ksm. */
import { realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { KsmController } from './controller.js';
import { comparePages, formatComparison } from './diff.js';
import { KsmError } from './errors.js';
import { probeFeatures } from './features.js';
import { formatEntry } from './line.js';
import { readPages } from './pages.js';
import { ControllerState, STATE_DIR } from './state.js';
import { formatStatus, gatherStatus } from './status.js';
import { SYSFS } from './sysfs.js';

const HELP = `Usage: pitv ksm <command> [options]

Kernel Same-page Merging: what it saves here, and the control of ksmd.

Commands
  status              what is merged now, by process, and what it costs
  watch               the same, refreshed until Ctrl-C
  on                  let ksmd scan until \`pitv ksm off\` (root)
  off                 bring back the settings that \`on\` found, or stop ksmd (root)
  auto                scan when processes come, as long as it pays; Ctrl-C or SIGTERM
                      brings back the settings it found (root)
  diff PID PID        compare the pages of two processes: which differ, by mapping and by cause

Options
  --json              one JSON object; watch and auto: one a line
  --interval SECONDS  watch: 1..3600, default 2
  --pages NUMBER      on: pages a batch, 1..1000000, default 1000
  --sleep MS          on: pause between batches, 1..60000, default 20
  --sharers NUMBER    on, auto: how many may share one page, 2..1000000 (max_page_sharing)
  --unmerge           off: also give every merged page back to its processes
  --state-dir DIR     on, off, auto: where the lock and the settings found are kept,
                      default ${STATE_DIR}
  -h, --help          this text

Exit status: 0 done, 1 failed, 2 wrong usage.
`;

const OPTIONS = /** @type {const} */ ({
  json: { type: 'boolean' },
  interval: { type: 'string' },
  pages: { type: 'string' },
  sleep: { type: 'string' },
  sharers: { type: 'string' },
  unmerge: { type: 'boolean' },
  'state-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
});

const SIGNALS = Object.freeze(/** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']));

/** Which options a command takes besides --help. */
const COMMANDS = Object.freeze({
  status: ['json'],
  watch: ['json', 'interval'],
  on: ['json', 'pages', 'sleep', 'sharers', 'state-dir'],
  off: ['json', 'unmerge', 'state-dir'],
  auto: ['json', 'sharers', 'state-dir'],
  diff: ['json'],
});

/**
 * @typedef {object} Io
 * @property {(text: string) => void} out @property {(text: string) => void} err
 * @property {string} sysfs @property {AbortSignal} [signal] ends watch and auto
 */

/**
 * @typedef {object} Asked
 * @property {keyof typeof COMMANDS} command
 * @property {number[]} pids
 * @property {Record<string, string | boolean | undefined>} values
 */

/**
 * @param {string[]} argv what comes after `pitv ksm`
 * @param {Partial<Io>} [io] for tests
 * @returns {Promise<0 | 1 | 2>} the exit status
 */
export async function main(argv, io = {}) {
  /** @type {Io} */
  const { out, err, sysfs, signal } = {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    sysfs: SYSFS,
    ...io,
  };
  try {
    const asked = parse(argv);
    if (!asked) {
      out(HELP);
      return 0;
    }
    await run(asked, { out, err, sysfs, signal });
    return 0;
  } catch (error) {
    if (!(error instanceof KsmError)) throw error;
    err(`pitv ksm: ${error.message}\n`);
    return error.exitCode === 2 ? 2 : 1;
  }
}

/** @param {string} message */
const usage = (message) =>
  new KsmError('KSM_USAGE', `${message} \`pitv ksm --help\` shows what there is.`);

/** @param {string[]} argv @returns {Asked | undefined} undefined: help is wanted */
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
  if (name !== 'diff' && rest.length > 0) throw usage(`${name} takes no ${rest[0]}.`);
  if (name === 'diff' && !(rest.length === 2 && rest.every((pid) => /^[1-9]\d{0,9}$/.test(pid)))) {
    throw usage('diff takes the numbers of two processes.');
  }
  const command = /** @type {keyof typeof COMMANDS} */ (name);
  for (const option of Object.keys(values)) {
    if (!COMMANDS[command].includes(option)) throw usage(`${name} takes no --${option}.`);
  }
  return { command, pids: rest.map(Number), values };
}

/**
 * @param {Asked['values']} values @param {string} name
 * @param {{fallback: number, least: number, most: number}} range
 */
function whole(values, name, { fallback, least, most }) {
  const given = values[name];
  if (given === undefined) return fallback;
  const value = Number(given);
  if (!/^\d+$/.test(String(given)) || value < least || value > most) {
    throw usage(`--${name} must be a whole number from ${least} to ${most}, not ${given}.`);
  }
  return value;
}

/** @param {Asked} asked @param {Io} io */
async function run({ command, pids, values }, io) {
  const stateDir = String(values['state-dir'] ?? STATE_DIR);
  const json = values.json === true;
  if (command === 'status') return showStatus(json, io);
  if (command === 'diff') return diff(pids, json, io);
  if (command === 'watch') {
    const seconds = whole(values, 'interval', { fallback: 2, least: 1, most: 3600 });
    return watch(seconds * 1000, json, io);
  }
  const sharers =
    values.sharers === undefined
      ? undefined
      : whole(values, 'sharers', { fallback: 2, least: 2, most: 1e6 });
  if (command === 'auto') return auto(stateDir, json, sharers, io);
  /** @type {import('./sysfs.js').Settings} */
  const settings =
    command === 'off'
      ? { run: values.unmerge ? '2' : '0' }
      : {
          pages_to_scan: String(whole(values, 'pages', { fallback: 1000, least: 1, most: 1e6 })),
          sleep_millisecs: String(whole(values, 'sleep', { fallback: 20, least: 1, most: 60_000 })),
          ...(sharers !== undefined && { max_page_sharing: String(sharers) }),
          run: '1',
        };
  const written = command === 'on' ? on(settings, stateDir, io) : off(settings, stateDir, io);
  if (json) io.out(`${JSON.stringify({ written })}\n`);
  else io.out(`${describe(written)}\n`);
}

/** @param {import('./sysfs.js').Settings} written */
function describe(written) {
  const changes = Object.entries(written).map(([name, value]) => `${name} = ${value}`);
  return changes.length > 0 ? `Set ${changes.join(', ')}.` : 'It is so already.';
}

/** @param {boolean} json @param {Io} io */
function showStatus(json, io) {
  const status = gatherStatus({ sysfs: io.sysfs });
  const features = probeFeatures({ sysfs: io.sysfs });
  if (json) return io.out(`${JSON.stringify({ ...status, features })}\n`);
  io.out(`${formatStatus(status)}\n`);
  for (const { name, reason } of features.missing) io.out(`not available: ${name} (${reason})\n`);
}

/** @param {number[]} pids @param {boolean} json @param {Io} io */
function diff([pid, other], json, io) {
  const rows = comparePages(readPages(pid), readPages(other));
  io.out(json ? `${JSON.stringify(rows)}\n` : `${formatComparison(rows)}\n`);
}

/** @param {number} intervalMs @param {boolean} json @param {Io} io */
async function watch(intervalMs, json, io) {
  const clear = !json && process.stdout.isTTY ? '\u001b[H\u001b[2J' : '';
  while (!io.signal?.aborted) {
    const status = gatherStatus({ sysfs: io.sysfs });
    io.out(json ? `${JSON.stringify(status)}\n` : `${clear}${formatStatus(status)}\n`);
    await sleep(intervalMs, undefined, { signal: io.signal }).catch(() => {});
  }
}

/** @param {import('./sysfs.js').Settings} settings @param {string} stateDir @param {Io} io */
function on(settings, stateDir, io) {
  const state = ControllerState.open(stateDir, io.sysfs);
  try {
    state.recover(); // an earlier `on`, or a controller that was killed: what was before them counts
    state.begin();
    return state.apply(settings); // the state file stays, for `off`
  } finally {
    state.close();
  }
}

/** @param {import('./sysfs.js').Settings} settings @param {string} stateDir @param {Io} io */
function off(settings, stateDir, io) {
  const state = ControllerState.open(stateDir, io.sysfs);
  try {
    const recovered = state.recover();
    if (recovered && settings.run === '0') return recovered.restored;
    state.begin();
    const written = state.apply(settings);
    state.forget();
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
  // From before the first write: a signal that comes at once must find somebody who cleans up.
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
