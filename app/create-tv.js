/** Creates a TV from settings. */
import { availableParallelism } from 'node:os';
import { createBestEngine, createEngine } from './engine/index.js';
import { Venue } from './lobby/venue.js';
import { ksmEngineOptions, ksmLevel } from './engine/ksm.js';
import { missingForLock } from './engine/lock.js';
import { messageOf } from './errors.js';
import { compareGames } from './game/load-games.js';
import { PROFILES, profilesFolder } from './system/profiles.js';
import { OWN_GAMES, loadCatalog } from './packages/catalog.js';
import { InstalledGames } from './packages/installed-games.js';
import { PREVIEWS } from './match/previews.js';
import { GAMES, Packages } from './packages/packages.js';
import { openControlGroups } from './engine/host/control-groups.js';
import { lazyEngine } from './engine/host/engine.js';
import { hangMs, readyTimeoutMs } from './process/timeouts.js';
import { FOLDER as CHECKPOINTS, hasCheckpoints } from './storage/match-checkpoints.js';
import { Store } from './storage/store.js';
import { PAPER } from './system/paper.js';
import { readVersion } from './version.js';

/** Workers in addition to those of the matches: the pictures of the games need one. */
const SPARE_WORKERS = 2;
const MAX_WORKERS = 66;
/** The job that reads a game which its author edits. */
const DESCRIBE_JOB = new URL('./dev/describe-job.js', import.meta.url).href;
/** Folders in the data directory. */
const FOLDERS = [CHECKPOINTS, GAMES, PAPER, PREVIEWS, PROFILES];

/**
 * @typedef {import('./config/settings.js').Settings} Settings
 * @typedef {import('pino').Logger} Logger
 * @typedef {import('./engine/index.js').Engine} Engine
 *
 * @typedef {object} TvOptions for tests, except `lazy`, `service`, `bundled`, `dev` and `output`
 * @property {boolean} [lazy] opens the engine when it is first used, or by `open()`
 * @property {import('./system/service.js').Service} [service] the service manager
 * @property {string} [bundled] folder of the packages that come with pitv; by default none is installed
 * @property {string} [dev] folder of a game that its author edits; it is the only game of the TV
 * @property {import('node:events').EventEmitter} [output] gets 'text' (name of a worker, lines that it has written)
 * @property {import('./packages/catalog.js').Game[]} [games] by default those of `gamesDir`
 * @property {string} [gamesDir] folder of the games, by default games/
 * @property {number} [graceMs] see LobbyOptions
 * @property {Partial<import('./match/timers.js').MatchLimits>} [limits]
 * @property {import('./server/hub.js').Times} [times]
 * @property {boolean} [thorough] see EngineOptions
 * @property {Partial<ConstructorParameters<typeof import('./udp/pads.js').UdpPads>[0]>} [pads] see UdpPads
 * @property {Partial<import('./admin/access.js').AccessOptions>} [login]
 */

/**
 * Creates a TV. Call its start() to open the ports.
 * @param {Settings} settings @param {Logger} log @param {TvOptions} [options]
 * @returns {Promise<import('./tv.js').Tv>}
 * @throws {import('./errors.js').PitvError} PITV_USAGE, PITV_DATA_DIR_BUSY, PITV_ENGINE_UNSUPPORTED
 */
export async function createTv(settings, log, options = {}) {
  const { dataDir } = settings;
  const store = new Store(dataDir, log);
  const storeProblem = await store.open(FOLDERS);
  if (storeProblem) {
    log.warn({ dataDir, error: storeProblem }, 'nothing can be saved in the data directory');
  } else await store.claim();
  try {
    return await assemble(settings, log, options, store, storeProblem);
  } catch (error) {
    store.release();
    throw error;
  }
}

/**
 * @param {Settings} settings @param {Logger} log @param {TvOptions} options @param {Store} store
 * @param {string | undefined} storeProblem see Parts
 */
async function assemble(settings, log, options, store, storeProblem) {
  const { dataDir } = settings;
  /** @type {import('./packages/catalog.js').BrokenGame[]} */
  const brokenGames = [];
  const leaveOut = (/** @type {typeof brokenGames[0]} */ broken) => {
    log.error({ game: broken.id, error: broken.problem }, 'a game is left out');
    brokenGames.push(broken);
  };
  const { untrustedGames: untrusted } = settings;
  const known = options.games ?? (options.dev ? [] : undefined);
  const games = known ?? (await loadCatalog(options.gamesDir, leaveOut, untrusted));
  const missing = untrusted === 'open' && missingForLock();
  if (missing) log.warn({ missing }, 'games of others run without the lock');
  await limitStrangers(log);
  const packages = new Packages(store, OWN_GAMES);
  const reserved = [...games, ...brokenGames].map(({ id }) => id);
  const { bundled } = options;
  const installed = new InstalledGames({ packages, log, untrusted, reserved, bundled });
  void installed.open({ readOnly: storeProblem !== undefined }); // they appear when they have been read
  const inspectDir = storeProblem ? undefined : profilesFolder(dataDir);
  const { engine, level } = await makeEngine({ settings, log, games, inspectDir, options });
  // With a second core, or with saved matches to resume, the engine opens while the rest is loaded and started.
  if (availableParallelism() > 1 || (await hasCheckpoints(store))) void engine.open();
  const loadingTv = import('./tv.js'); // while the rest is opened
  const { openAdminAccess } = await import('./admin/access.js');
  const version = readVersion();
  const access = await openAdminAccess(store, {
    ...options.login,
    writable: !storeProblem,
    log,
    passwordFile: settings.adminPasswordFile,
  });
  const udp = await makeUdpPads(settings, options.pads);
  /** @type {import('./dev/dev-session.js').DevSession | undefined} */
  let dev;
  const allGames = () => [...games, ...installed.games, ...(dev?.games ?? [])].sort(compareGames);
  const home = await openHome(settings, {
    version,
    log,
    lobby: {
      games: allGames(),
      engine,
      log,
      maxMatches: settings.maxMatches,
      code: settings.joinCode,
      graceMs: options.graceMs,
      readyMs: options.times?.readyMs,
      venue: new Venue(settings),
      maxPadsPerAddress: settings.maxPadsPerAddress,
      limits: options.dev ? { emptyMs: Infinity, ...options.limits } : options.limits,
      inputSink: udp,
    },
    restMs: options.times?.partyRestMs,
  });
  const { lobby, party } = home;
  const listGames = () => lobby.setGames(allGames());
  installed.on('change', listGames);
  listGames(); // some may have been read while the home was opened
  if (options.dev !== undefined) {
    const { DevSession } = await import('./dev/dev-session.js');
    const bestEffort = untrusted === 'open';
    const { dev: folder, output } = options;
    dev = new DevSession({ folder, packages, engine, lobby, log, bestEffort, output });
    dev.on('games', listGames);
  }
  const { Tv, createServices } = await loadingTv;
  const about = { settings, log, version, store, storeProblem, access, times: options.times };
  const opened = { engine, home, lobby, party, installed, dev, udp };
  return new Tv(createServices({ ...about, ...opened }, { level, brokenGames, options }));
}

/**
 * Returns the modules that workers have before they start. Games of others are loaded only in workers that have locked
 * themselves, and in development a match loads its game itself, so that it has the newest code.
 * @param {import('./packages/catalog.js').Game[]} games @param {TvOptions} options
 */
function modulesFor(games, { dev }) {
  if (dev !== undefined) return [DESCRIBE_JOB];
  if (process.env.NODE_ENV === 'development') return [];
  return games.filter(({ lock }) => !lock).map(({ url }) => url);
}

/** Limits the processes of games of others by control groups, where that is possible. @param {Logger} log */
async function limitStrangers(log) {
  try {
    const controllers = await openControlGroups();
    if (controllers) log.info({ controllers }, 'control groups limit games of others');
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'control groups do not limit games of others');
  }
}

/**
 * Creates the engine, or with `lazy` one that is opened later.
 * @param {object} parts @param {Settings} parts.settings @param {Logger} parts.log
 * @param {import('./packages/catalog.js').Game[]} parts.games
 * @param {string | undefined} parts.inspectDir see EngineOptions @param {TvOptions} parts.options
 * @returns {Promise<{engine: Engine, level: () => import('./engine/ksm.js').Level}>} level: memory merging of the
 *   engine in use
 */
async function makeEngine({ settings, log, games, inspectDir, options }) {
  const { maxMatches } = settings;
  const { thorough, output } = options;
  /** @type {import('./engine/ksm.js').Level} set for each engine that is tried; the last one is used */
  let level = 'off';
  /** @param {string} name of a worker @param {string} text */
  const emitOutput = (name, text) => void output?.emit('text', name, text);
  /** @param {string} name of an engine */
  const optionsFor = (name) => ({
    ...ksmEngineOptions((level = ksmLevel({ ...settings, engine: name }, log))),
    log,
    hangMs: settings.hangMs === 'auto' ? hangMs() : settings.hangMs,
    readyTimeoutMs: readyTimeoutMs(),
    maxWorkers: maxMatches === 'auto' ? MAX_WORKERS : maxMatches + SPARE_WORKERS,
    modules: modulesFor(games, options),
    thorough,
    ...(inspectDir && { inspectDir }),
    ...(output && { output: emitOutput }),
  });
  const open = async () => {
    const { engine: name } = settings;
    if (name !== 'auto') return createEngine(name, optionsFor(name));
    const { engine, why } = await createBestEngine(optionsFor);
    log.info({ engine: engine.name }, `engine chosen: ${why}`);
    return engine;
  };
  const engine = options.lazy ? lazyEngine(settings.engine, open) : await open();
  return { engine, level: () => level };
}

/**
 * @param {Settings} settings @param {TvOptions['pads']} options
 * @returns {Promise<import('./tv.js').Services['udp']>}
 */
async function makeUdpPads({ host, udp }, options) {
  if (udp === 'off') return undefined;
  const { UdpPads } = await import('./udp/pads.js');
  return new UdpPads({ host, port: udp, ...options });
}

/**
 * Opens the home of the TV: its fleet, if the settings name one.
 * @param {Settings} settings
 * @param {import('./lobby/home.js').HomeOptions & {version: string, log: Logger}} options
 * @returns {Promise<import('./lobby/home.js').Home>}
 */
async function openHome(settings, options) {
  const { fleet, fleetCredentials, fleetCa, fleetNode, fleetPartition } = settings;
  if (fleet.length === 0) {
    const { Home } = await import('./lobby/home.js');
    return new Home(options);
  }
  const { Fleet } = await import('./fleet/fleet.js');
  return Fleet.join({
    ...options,
    servers: fleet,
    credentialsFile: fleetCredentials,
    caFile: fleetCa,
    name: fleetNode,
    partition: fleetPartition,
  });
}
