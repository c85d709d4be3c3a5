/** Lists every setting of `pitv serve`. Flags, environment variables, types and help text come from this table. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ENGINES } from '../engine/index.js';
import { LIMITS } from '../limits/table.js';
import { IO_THREADS_MOST } from '../process/io-threads.js';
import { MAX_RECEIVERS } from '../udp/native-udp.js';
import {
  addressRanges,
  choice,
  directory,
  host,
  optional,
  or,
  origin,
  origins,
  whole,
} from './values.js';

/**
 * @template T
 * @typedef {import('./values.js').Kind<T> & {help: string, readonly defaultValue: string}} Setting
 */

/** @template {Record<string, Setting<any>>} T @param {T} rows @returns {Readonly<T>} */
const table = (rows) => Object.freeze(rows);

/**
 * Returns where the TV saves its state: /var/lib for root, as systemd does for services, and the state directory
 * of the XDG Base Directory Specification for other users.
 */
export function defaultDataDir(env = process.env, uid = process.getuid?.()) {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'pitv');
  return uid === 0 ? '/var/lib/pitv' : join(homedir(), '.local', 'state', 'pitv');
}

/** By name in Settings. flagName() and variableName() give the flag and the environment variable. */
export const SETTINGS = table({
  port: {
    ...whole(0, 65535),
    help: 'TCP port of pages and websocket; 0 takes any free one',
    defaultValue: '8080',
  },
  host: {
    ...host,
    help: 'address to listen on; 0.0.0.0 is every IPv4 address, :: IPv6 as well',
    defaultValue: '0.0.0.0',
  },
  engine: {
    ...choice('auto', ...ENGINES),
    help: 'what a match runs in: a thread, a process, or a process forked from one that is warm already (zygote); auto is zygote, process or thread, the first that works here',
    defaultValue: 'auto',
  },
  ksm: {
    ...choice('auto', 'off', 'mark', 'seeds', 'identical'),
    help: 'engines process and zygote: let the kernel merge equal memory of the matches, while `pitv ksm auto` or `pitv ksm on` runs; identical gives up their address randomisation; auto is seeds with the process engine where the kernel can, else off',
    defaultValue: 'auto',
  },
  maxMatches: {
    ...or(whole(1, 64), 'auto'),
    help: 'matches at the same time; auto goes by cores and free memory',
    defaultValue: 'auto',
  },
  dataDir: {
    ...directory,
    help: 'admin token and password, interrupted matches, pictures of the games',
    get defaultValue() {
      return defaultDataDir();
    },
  },
  adminPasswordFile: {
    ...optional('FILE', 'a file'),
    help: "its first line becomes the admin's password at the start, if it was written after the password's last change; it may be missing",
    defaultValue: '',
  },
  checkpointSeconds: {
    ...whole(0, 3600),
    help: 'running matches are written to disk this often, s, so that a power cut loses no more; 0: only when the TV goes off. A card is written 17 MB (bumper) to 180 MB (swarm) an hour while somebody plays',
    defaultValue: '0',
  },
  problemsDir: {
    ...optional('DIR', 'a directory'),
    help: 'what the system found wrong: files of one sentence a line, which the TV shows',
    defaultValue: '',
  },
  runtimeDir: {
    ...optional('DIR', 'a directory'),
    help: "where the TV writes the text for the machine's console and requests to power off or reboot; only for systems that read it (image/common)",
    defaultValue: '',
  },
  clipMb: {
    ...whole(0, 1000000),
    help: 'megabytes that all clips together may take in the data directory; 0: no clips',
    defaultValue: '512',
  },
  logLevel: {
    ...choice('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    help: 'what is logged, as lines of JSON on stderr',
    defaultValue: 'info',
  },
  hangMs: {
    ...or(whole(200, 60000), 'auto'),
    help: 'a match that stands still this long, ms, is restarted; waiting for a core or a disk does not count. auto is 600, and more where Node.js itself takes more than 200 ms to start',
    defaultValue: 'auto',
  },
  screenAccess: {
    ...choice('open', 'code'),
    help: 'open: any browser that reaches the TV may be a screen, and a screen shows the join code; code: a screen has to enter the code once',
    defaultValue: 'open',
  },
  tlsCert: {
    ...optional('FILE', 'a PEM file'),
    help: 'certificate with its chain: the port speaks HTTPS instead of HTTP; needs --tls-key. SIGHUP reads both files again',
    defaultValue: '',
  },
  tlsKey: {
    ...optional('FILE', 'a PEM file'),
    help: 'private key of the certificate, without a passphrase',
    defaultValue: '',
  },
  publicUrl: {
    ...origin,
    help: 'the address for the QR code when it is not the address found by itself (proxy, container)',
    defaultValue: '',
  },
  allowedOrigin: {
    ...origins,
    help: 'pages of these other origins may use the TV as well',
    defaultValue: '',
  },
  trustedProxy: {
    ...addressRanges,
    help: 'reverse proxies whose X-Forwarded-For is believed, so that limits count the clients behind them',
    defaultValue: '',
  },
  maxClients: {
    ...whole(1, 4096),
    help: 'screens and phones connected at the same time',
    defaultValue: String(LIMITS.clients.value),
  },
  maxClientsPerAddress: {
    ...whole(1, 4096),
    help: 'of these, from one network address',
    defaultValue: String(LIMITS.clientsPerAddress.value),
  },
  maxRequestsPerSecond: {
    ...whole(1, 1_000_000),
    help: 'HTTP requests a second of one network address, on average',
    defaultValue: String(LIMITS.requests.value.perSecond),
  },
  maxPadsPerAddress: {
    ...whole(1, LIMITS.players.value),
    help: 'players of one network address; raise it where all phones share one, as behind a router of a school',
    defaultValue: String(LIMITS.padsPerAddress.value),
  },
  ioThreads: {
    ...or(whole(1, IO_THREADS_MOST), 'auto'),
    help: "threads for files and password hashes (libuv's pool); auto goes by cores and by matches that keep them busy",
    defaultValue: 'auto',
  },
  udp: {
    ...or(whole(0, 65535), 'off'),
    value: 'PORT',
    help: 'takes inputs of native pads in datagrams on this UDP port (see app/udp/README.md); 0 is any free one',
    defaultValue: 'off',
  },
  udpReceivers: {
    ...whole(1, MAX_RECEIVERS),
    help: 'threads that receive them; one takes hundreds of thousands a second',
    defaultValue: '1',
  },
  udpPin: {
    ...choice('off', 'on'),
    help: 'on: each of these threads stays on a CPU of its own',
    defaultValue: 'off',
  },
});

/**
 * @typedef {{[K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']>}} Settings
 */
