/** Lists all settings of `pitv serve`. Flags, environment variables, types and help text come from this table. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ENGINES } from '../engine/index.js';
import { AUTO } from '../language/index.js';
import { LIMITS } from '../limits/table.js';
import {
  addressRanges,
  choice,
  directory,
  host,
  hours,
  joinCode,
  languageTag,
  name,
  optional,
  or,
  origin,
  origins,
  servers,
  webAddress,
  whole,
} from './values.js';

/**
 * @template T
 * @typedef {Readonly<import('./values.js').Kind<T>> & {help: string}} Setting
 */

/**
 * Makes a setting.
 * @template T
 * @param {import('./values.js').Kind<T>} kind
 * @param {{help: string, defaultValue?: string, value?: string}} about value: placeholder of the help text
 * @returns {Setting<T>}
 */
const setting = (kind, about) => ({ ...kind, ...about });

/**
 * Returns the default data directory: for root in /var/lib, as for services of systemd, and for other users in the
 * state directory of the XDG Base Directory Specification.
 */
export function defaultDataDir(env = process.env, uid = process.getuid?.()) {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'pitv');
  return uid === 0 ? '/var/lib/pitv' : join(homeFolder(), '.local', 'state', 'pitv');
}

/** Returns the user's home, or /: a container may run as a user that has none, and is in no list. */
function homeFolder() {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** The settings by their names in Settings. flagName() and variableName() return flag and environment variable. */
export const SETTINGS = Object.freeze({
  port: setting(whole(0, 65535, 8080), {
    help: 'TCP port of pages, API and websocket; 0: any free port',
  }),
  host: setting(host, {
    help: 'address to listen on; 0.0.0.0 means all IPv4 addresses, :: all IPv4 and IPv6 addresses',
  }),
  engine: setting(choice('auto', ...ENGINES), {
    help: 'how matches run: each in a thread, in a process, or in a process forked from a warmed-up one (zygote); auto: the first of zygote, process and thread that works on this machine',
  }),
  ksm: setting(choice('auto', 'off', 'mark', 'seeds', 'identical'), {
    help: 'merging of equal memory of the matches by the kernel, with the engines process and zygote, while `pitv ksm auto` or `pitv ksm on` runs; mark: mark memory as mergeable; seeds: also use the same random seeds; identical: also disable address space randomisation; auto: seeds with the engine process if the kernel supports it, otherwise off',
  }),
  untrustedGames: setting(choice('locked', 'off', 'open'), {
    help: 'games that are not part of pitv; locked: each match of one runs in a process that reads nothing but its game and opens nothing (needs Landlock, and the engine zygote or process); off: they are left out; open: they run as locked as the machine and the engine can, or not locked at all',
  }),
  maxMatches: setting(or(whole(1, 64), 'auto'), {
    help: 'maximum number of matches at the same time; auto: depends on cores and free memory',
  }),
  pinnedGame: setting(name, {
    help: 'id of the only game that screens and phones offer, for example in a bar; the admin may start others; empty: they offer all',
  }),
  attractMinutes: setting(whole(0, 1440), {
    help: 'minutes without a phone after which the screens play demos of the games; 0: never',
  }),
  openingHours: setting(hours, {
    help: 'when screens and phones may start matches, in local time; the admin always may; empty: always',
  }),
  joinCode: setting(joinCode, {
    help: 'join code that always stays the same, for example to print its QR code; of a fleet, that of its first TV counts; empty: a random one, which outlives restarts within ten minutes',
  }),
  volume: setting(whole(0, 100, 70), {
    help: 'volume of the TV’s screens, percent, until the admin or a screen sets another',
  }),
  language: setting(or(languageTag, AUTO), {
    help: 'language of the TV’s screens and of the output of this command; auto: screens have the language of their browser, and the rest has that of LC_ALL, LC_MESSAGES or LANG',
  }),
  dataDir: {
    ...directory,
    help: 'directory for the admin token and password, players, records, saved matches, installed games and pictures of the games',
    get defaultValue() {
      return defaultDataDir();
    },
  },
  adminPasswordFile: setting(optional('FILE', 'a file'), {
    help: "file whose first line becomes the admin's password at the start, if the file is newer than the last change of the password; it may be missing",
  }),
  checkpointSeconds: setting(whole(0, 3600), {
    help: 'interval in seconds at which running matches are saved, to limit the loss at a power cut; 0: only when the TV stops. With 1, some 15 MB (Bumper) to 160 MB (Swarm) an hour are written to the card',
  }),
  problemsDir: setting(optional('DIR', 'a directory'), {
    help: 'directory in which the system reports problems, in files with one sentence per line; the TV shows them',
  }),
  runtimeDir: setting(optional('DIR', 'a directory'), {
    help: "directory for the text of the machine's console and for requests to power off, reboot or update; only for systems that read it (image/common)",
  }),
  updateDir: setting(optional('DIR', 'a directory'), {
    help: 'directory in which the system reports about updates; empty: it installs none. Needs --runtime-dir',
  }),
  wifiDir: setting(optional('DIR', 'a directory'), {
    help: 'directory in which the system reports the access point of a board without a network (image/common); empty: it opens none. Needs --runtime-dir',
  }),
  updateUrl: setting(webAddress, {
    help: 'address of a folder with updates for the admin page, as `make bundle` writes it',
  }),
  logLevel: setting(choice('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'), {
    help: 'minimum level of log lines, which are JSON on stderr',
    defaultValue: 'info',
  }),
  hangMs: setting(or(whole(200, 60000), 'auto'), {
    help: 'time in ms after which a match that makes no progress is restarted; time waiting for a core or a disk does not count; auto: 600, or more if Node.js takes over 200 ms to start',
  }),
  screenAccess: setting(choice('open', 'code'), {
    help: 'open: any browser that reaches the TV can be a screen, and a screen shows the join code; code: a screen must enter the code once',
  }),
  tlsCert: setting(optional('FILE', 'a PEM file'), {
    help: 'certificate with its chain; with it, the port uses HTTPS instead of HTTP. Needs --tls-key. SIGHUP reloads both files',
  }),
  tlsKey: setting(optional('FILE', 'a PEM file'), {
    help: 'private key of the certificate, without a passphrase',
  }),
  publicUrl: setting(origin, {
    help: 'address for the QR code, if the TV cannot find it by itself, for example behind a proxy or in a container',
  }),
  allowedOrigin: setting(origins, { help: 'other origins whose pages may use the TV' }),
  trustedProxy: setting(addressRanges, {
    help: 'reverse proxies whose X-Forwarded-For header is trusted, so that limits apply to the clients behind them',
  }),
  maxClients: setting(whole(1, 4096, LIMITS.clients.value), {
    help: 'maximum number of screens and phones that are connected at the same time',
  }),
  maxClientsPerAddress: setting(whole(1, 4096, LIMITS.clientsPerAddress.value), {
    help: 'maximum number of these from one network address',
  }),
  maxRequestsPerSecond: setting(whole(1, 1_000_000, LIMITS.requests.value.perSecond), {
    help: 'maximum average rate of HTTP requests from one network address',
  }),
  maxPadsPerAddress: setting(whole(1, LIMITS.players.value, LIMITS.padsPerAddress.value), {
    help: 'maximum number of players from one network address; raise it where many phones share one, as behind the router of a school',
  }),
  fleet: setting(servers, {
    help: 'NATS servers of a fleet, such as nats://10.0.0.1:4222; several TVs become one console, and matches go on when one of them fails (see docs/fleet.md); empty: no fleet',
  }),
  fleetCredentials: setting(optional('FILE', 'a file'), {
    help: 'file with the credentials of the fleet, made by `pitv fleet init`',
  }),
  fleetCa: setting(optional('FILE', 'a PEM file'), {
    help: 'certificates of the authorities that have signed those of the NATS servers, for tls:// addresses',
  }),
  fleetNode: setting(name, {
    help: 'name of this TV in its fleet: small letters, digits and hyphens; empty: its host name',
  }),
  fleetPartition: setting(choice('pause', 'continue'), {
    help: 'what the matches of this TV do while it is cut off from most of its fleet; pause: they wait, because other TVs take them over; continue: they go on here, and end when the TV is connected again and another one has taken them over',
  }),
  udp: setting(or(whole(0, 65535), 'off'), {
    value: 'PORT',
    help: 'UDP port for the datagrams of native pads (see app/udp/README.md); 0: any free port',
  }),
});

/**
 * @typedef {{[K in keyof typeof SETTINGS]: Exclude<ReturnType<(typeof SETTINGS)[K]['parse']>, null>}} Settings
 */
