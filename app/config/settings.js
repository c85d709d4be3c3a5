/**
 * Every setting once: its name, what it may be, what it is by default, and what it does. The
 * command line, the environment and the help text are all made from this table. A flag wins over
 * the environment, the environment over the default.
 */
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ENGINES } from '../engine/index.js';
import { PitvError, firstSentenceOf } from '../errors.js';
import { IO_THREADS_MOST } from '../process/io-threads.js';
import { LIMITS } from '../limits/table.js';
import { RECEIVERS_MAX } from '../udp/limits.js';

/**
 * @typedef {object} Setting
 * @property {string} name as a flag, without the dashes
 * @property {string} value what stands for the value in the help text
 * @property {string} range which values are allowed, for people
 * @property {string} help
 * @property {() => string} defaultValue
 * @property {(text: string) => unknown} parse throws a RangeError when the text is out of range
 */

/** @param {string[]} values */
const choice = (...values) => ({
  value: 'NAME',
  range: values.join(' | '),
  /** @param {string} text */
  parse(text) {
    if (!values.includes(text)) throw new RangeError();
    return text;
  },
});

/** @param {number} low @param {number} high @param {string} [word] a word that is allowed as well */
const whole = (low, high, word) => ({
  value: 'N',
  range: `${low}..${high}${word ? ` | ${word}` : ''}`,
  /** @param {string} text */
  parse(text) {
    if (word !== undefined && text === word) return text;
    const number = Number(text);
    if (!/^\d{1,9}$/.test(text) || number < low || number > high) throw new RangeError();
    return number;
  },
});

/** @param {string} text @returns {string} scheme, host and port */
function parseOrigin(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new RangeError();
  }
  if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.username) {
    throw new RangeError();
  }
  return url.origin;
}

/** Names of address ranges that proxy-addr knows. */
const RANGES = Object.freeze(['loopback', 'linklocal', 'uniquelocal']);

/** @param {string} text an address, a CIDR range or the name of a range @returns {string} */
function parseRange(text) {
  if (RANGES.includes(text)) return text;
  const [address, bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) throw new RangeError();
  if (bits !== undefined) whole(1, family === 4 ? 32 : 128).parse(bits);
  return text;
}

/** @param {string} text @returns {string} absolute, or empty */
function optionalPath(text) {
  if (text.includes('\0')) throw new RangeError();
  return text === '' ? '' : resolve(text);
}

/** Where the TV keeps its state: what the system gives to services for root, XDG for people. */
export function defaultDataDir(env = process.env, uid = process.getuid?.()) {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'pitv');
  return uid === 0 ? '/var/lib/pitv' : join(homedir(), '.local', 'state', 'pitv');
}

/** @type {readonly Setting[]} */
export const SETTINGS = Object.freeze([
  {
    name: 'port',
    ...whole(0, 65535),
    help: 'TCP port of pages and websocket; 0 takes any free one',
    defaultValue: () => '8080',
  },
  {
    name: 'host',
    value: 'ADDRESS',
    range: 'an address of this machine, or a name of it',
    help: 'address to listen on; 0.0.0.0 is every IPv4 address, :: IPv6 as well',
    defaultValue: () => '0.0.0.0',
    parse(text) {
      if (!/^[A-Za-z0-9.:_%-]{1,255}$/.test(text)) throw new RangeError();
      return text;
    },
  },
  {
    name: 'engine',
    ...choice('auto', ...ENGINES),
    help: 'what a match runs in: a thread, a process, or a process forked from one that is warm already (zygote); auto is zygote, process or thread, the first that works here',
    defaultValue: () => 'auto',
  },
  {
    name: 'ksm',
    ...choice('auto', 'off', 'mark', 'seeds', 'identical'),
    help: 'engines process and zygote: let the kernel merge equal memory of the matches, while `pitv ksm auto` or `pitv ksm on` runs; identical gives up their address randomisation; auto is seeds with the process engine where the kernel can, else off',
    defaultValue: () => 'auto',
  },
  {
    name: 'max-matches',
    ...whole(1, 64, 'auto'),
    help: 'matches at the same time; auto goes by cores and free memory',
    defaultValue: () => 'auto',
  },
  {
    name: 'data-dir',
    value: 'DIR',
    range: 'a directory, made if missing',
    help: 'admin token and password, interrupted matches, pictures of the games',
    defaultValue: () => defaultDataDir(),
    parse(text) {
      if (text === '' || text.includes('\0')) throw new RangeError();
      return resolve(text);
    },
  },
  {
    name: 'admin-password-file',
    value: 'FILE',
    range: 'a file, or empty',
    help: "its first line becomes the admin's password at the start, if it was written after the password's last change; it may be missing",
    defaultValue: () => '',
    parse(text) {
      if (text.includes('\0')) throw new RangeError();
      return text === '' ? '' : resolve(text);
    },
  },
  {
    name: 'checkpoint-seconds',
    ...whole(0, 3600),
    help: 'running matches are written to disk this often, s, so that a power cut loses no more; 0: only when the TV goes off. A card is written 17 MB (bumper) to 180 MB (swarm) an hour while somebody plays',
    defaultValue: () => '0',
  },
  {
    name: 'problems-dir',
    value: 'DIR',
    range: 'a directory, or empty',
    help: 'what the system found wrong: files of one sentence a line, which the TV shows',
    defaultValue: () => '',
    parse: optionalPath,
  },
  {
    name: 'runtime-dir',
    value: 'DIR',
    range: 'a directory, or empty',
    help: "where the TV leaves the text of the machine's console, and the wish to switch it off or start it anew; only for systems that look there (image/common)",
    defaultValue: () => '',
    parse: optionalPath,
  },
  {
    name: 'clip-mb',
    ...whole(0, 1000000),
    help: 'megabytes that all clips together may take in the data directory; 0: no clips',
    defaultValue: () => '512',
  },
  {
    name: 'log-level',
    ...choice('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    help: 'what is logged, as lines of JSON on stderr',
    defaultValue: () => 'info',
  },
  {
    name: 'hang-ms',
    ...whole(200, 60000, 'auto'),
    help: 'a match that stands still this long, ms, is restarted; waiting for a core or a disk does not count. auto is 600, and more where Node.js itself takes more than 200 ms to start',
    defaultValue: () => 'auto',
  },
  {
    name: 'screen-access',
    ...choice('open', 'code'),
    help: 'open: any browser that reaches the TV may be a screen, and a screen shows the join code; code: a screen has to enter the code once',
    defaultValue: () => 'open',
  },
  {
    name: 'tls-cert',
    value: 'FILE',
    range: 'a PEM file, or empty',
    help: 'certificate with its chain: the port speaks HTTPS instead of HTTP; needs --tls-key. SIGHUP reads both files again',
    defaultValue: () => '',
    parse: optionalPath,
  },
  {
    name: 'tls-key',
    value: 'FILE',
    range: 'a PEM file, or empty',
    help: 'private key of the certificate, without a passphrase',
    defaultValue: () => '',
    parse: optionalPath,
  },
  {
    name: 'public-url',
    value: 'URL',
    range: 'http(s)://name[:port], or empty',
    help: 'the address for the QR code when it is not the address found by itself (proxy, container)',
    defaultValue: () => '',
    parse: (text) => (text === '' ? '' : parseOrigin(text)),
  },
  {
    name: 'allowed-origin',
    value: 'URL[,URL]',
    range: 'http(s)://name[:port], separated by commas, or empty',
    help: 'pages of these other origins may use the TV as well',
    defaultValue: () => '',
    parse: (text) =>
      text === '' ? [] : text.split(',').map((/** @type {string} */ each) => parseOrigin(each)),
  },
  {
    name: 'trusted-proxy',
    value: 'ADDRESS[,ADDRESS]',
    range: `addresses or CIDR ranges (10.0.0.0/8), ${RANGES.join(', ')}, separated by commas, or empty`,
    help: 'reverse proxies whose X-Forwarded-For is believed, so that limits count the clients behind them',
    defaultValue: () => '',
    parse: (text) => (text === '' ? [] : text.split(',').map((each) => parseRange(each))),
  },
  {
    name: 'max-clients',
    ...whole(1, 4096),
    help: 'screens and phones connected at the same time',
    defaultValue: () => String(LIMITS.clients.value),
  },
  {
    name: 'max-clients-per-address',
    ...whole(1, 4096),
    help: 'of these, from one network address',
    defaultValue: () => String(LIMITS.clientsPerAddress.value),
  },
  {
    name: 'max-requests-per-second',
    ...whole(1, 1_000_000),
    help: 'HTTP requests a second of one network address, on average',
    defaultValue: () => String(LIMITS.requests.value.perSecond),
  },
  {
    name: 'max-pads-per-address',
    ...whole(1, LIMITS.players.value),
    help: 'players of one network address; raise it where all phones share one, as behind a router of a school',
    defaultValue: () => String(LIMITS.padsPerAddress.value),
  },
  {
    name: 'io-threads',
    ...whole(1, IO_THREADS_MOST, 'auto'),
    help: "threads for files and password hashes (libuv's pool); auto goes by cores and by matches that keep them busy",
    defaultValue: () => 'auto',
  },
  {
    name: 'udp',
    ...whole(0, 65535, 'off'),
    value: 'PORT',
    help: 'takes inputs of native pads in datagrams on this UDP port (see app/udp/README.md); 0 is any free one',
    defaultValue: () => 'off',
  },
  {
    name: 'udp-receivers',
    ...whole(1, RECEIVERS_MAX),
    help: 'threads that receive them; one takes hundreds of thousands a second',
    defaultValue: () => '1',
  },
  {
    name: 'udp-pin',
    ...choice('off', 'on'),
    help: 'on: each of these threads stays on a CPU of its own',
    defaultValue: () => 'off',
  },
]);

/**
 * @typedef {object} Settings
 * @property {number} port
 * @property {string} host
 * @property {string} engine auto or one of ENGINES
 * @property {'auto' | 'off' | 'mark' | 'seeds' | 'identical'} ksm
 * @property {number | 'auto'} maxMatches
 * @property {string} dataDir absolute
 * @property {string} adminPasswordFile absolute, or empty
 * @property {number} checkpointSeconds 0: never
 * @property {string} problemsDir absolute, or empty
 * @property {string} runtimeDir absolute, or empty
 * @property {number} clipMb
 * @property {string} logLevel
 * @property {number | 'auto'} hangMs
 * @property {'open' | 'code'} screenAccess
 * @property {string} tlsCert absolute, or empty
 * @property {string} tlsKey absolute, or empty
 * @property {string} publicUrl an origin, or empty
 * @property {string[]} allowedOrigin origins
 * @property {string[]} trustedProxy addresses, ranges and names of ranges
 * @property {number} maxClients
 * @property {number} maxClientsPerAddress
 * @property {number} maxRequestsPerSecond of one address
 * @property {number} maxPadsPerAddress
 * @property {number | 'auto'} ioThreads
 * @property {number | 'off'} udp port
 * @property {number} udpReceivers
 * @property {'off' | 'on'} udpPin
 */

/** @param {string} name a flag @returns {string} its environment variable */
export const environmentName = (name) => `PITV_${name.toUpperCase().replaceAll('-', '_')}`;

/** @param {string} name a flag @returns {string} its key in Settings */
const keyOf = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/**
 * parseArgs with the house's manners: one sentence for what is wrong.
 * @param {string[]} argv
 * @param {Record<string, {type: 'string' | 'boolean'}>} options `help` is always there as well
 * @param {string} usage the command, for the sentence
 * @returns {Record<string, string | boolean | undefined>}
 * @throws {PitvError} PITV_USAGE
 */
export function parseFlags(argv, options, usage) {
  try {
    const { values } = parseArgs({
      args: argv,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      strict: true,
      allowPositionals: false,
    });
    return values;
  } catch (error) {
    const { code } = /** @type {{code?: string}} */ (error);
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    const sentence = `${firstSentenceOf(error)} See ${usage} --help.`;
    throw new PitvError('PITV_USAGE', sentence, { cause: error });
  }
}

/**
 * @param {string[]} argv options of `pitv serve`
 * @param {Record<string, string | undefined>} [env]
 * @returns {Settings & {help: boolean}}
 * @throws {PitvError} PITV_USAGE
 */
export function parseSettings(argv, env = process.env) {
  const options = Object.fromEntries(
    SETTINGS.map(({ name }) => [name, { type: /** @type {const} */ ('string') }]),
  );
  const flags = parseFlags(argv, options, 'pitv serve');
  /** @type {Record<string, unknown>} */
  const settings = { help: flags.help === true };
  for (const setting of SETTINGS) {
    const variable = environmentName(setting.name);
    const [text, source] =
      flags[setting.name] !== undefined
        ? [String(flags[setting.name]), `--${setting.name}`]
        : env[variable] !== undefined
          ? [String(env[variable]), variable]
          : [setting.defaultValue(), `--${setting.name}`];
    try {
      settings[keyOf(setting.name)] = setting.parse(text);
    } catch (error) {
      throw new PitvError(
        'PITV_USAGE',
        `${source} may be ${setting.range}, not "${text.slice(0, 80)}".`,
        { cause: error },
      );
    }
  }
  if (!settings.tlsCert !== !settings.tlsKey) {
    const [given, missing] = settings.tlsCert ? ['cert', 'key'] : ['key', 'cert'];
    throw new PitvError('PITV_USAGE', `--tls-${given} needs --tls-${missing} as well.`);
  }
  return /** @type {Settings & {help: boolean}} */ (settings);
}

/** @returns {string} what `pitv serve --help` prints */
export function serveHelp() {
  const lines = SETTINGS.flatMap((setting) => [
    `  --${setting.name} ${setting.value}`,
    `      ${setting.help}`,
    `      default ${setting.defaultValue() || '(empty)'}; ${setting.range}; environment ${environmentName(setting.name)}`,
  ]);
  return ['Usage: pitv serve [options]', '', ...lines, ''].join('\n');
}
