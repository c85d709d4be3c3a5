/** Makes a TV from settings: first its services, the objects that its parts share, then the TV that runs them. */
import { join } from 'node:path';
import { openAdminAccess } from './admin/access.js';
import { CLIPS, Clips } from './clips/clips.js';
import { createBestEngine, createEngine } from './engine/index.js';
import { ksmEngineOptions, ksmLevel } from './engine/ksm.js';
import { LazyEngine } from './engine/lazy-engine.js';
import { PROFILES, RunningProfiles, profilesFolder } from './inspector/profiles.js';
import { Usage } from './inspector/usage.js';
import { loadCatalog } from './lobby/catalog.js';
import { Lobby } from './lobby/lobby.js';
import { PREVIEWS, Previews } from './match/previews.js';
import { hangMs, readyTimeoutMs } from './process/timeouts.js';
import { ScreenTokens, screenOwner } from './server/screen-tokens.js';
import { FOLDER as CHECKPOINTS } from './storage/match-checkpoints.js';
import { Persistence } from './storage/persistence.js';
import { Store } from './storage/store.js';
import { System } from './system/index.js';
import { PAPER } from './system/paper.js';
import { RuntimeDir } from './system/runtime-dir.js';
import { Status } from './system/status.js';
import { Tv } from './tv.js';
import { readVersion } from './version.js';

/** Workers beyond the matches: the pictures of the games are made by one, too. */
const SPARE_WORKERS = 2;
const MAX_WORKERS = 66;
/** In the data directory. */
const FOLDERS = [CHECKPOINTS, CLIPS, PAPER, PREVIEWS, PROFILES];

/**
 * @typedef {import('./config/settings.js').Settings} Settings
 * @typedef {import('pino').Logger} Logger
 * @typedef {import('./engine/index.js').Engine | import('./engine/lazy-engine.js').LazyEngine} Engine
 *
 * @typedef {object} TvOptions for tests, except `lazy` and `service`
 * @property {boolean} [lazy] leave the engine for later: `engine.opened` of the TV opens it
 * @property {import('./system/service.js').Service} [service] the service manager
 * @property {import('./lobby/catalog.js').Game[]} [games] instead of those in games/
 * @property {string} [code] join code
 * @property {number} [graceMs] see LobbyOptions
 * @property {Partial<import('./match/limits.js').MatchLimits>} [limits]
 * @property {import('./server/hub.js').Times} [times]
 * @property {boolean} [thorough] see EngineOptions
 * @property {ConstructorParameters<typeof import('./udp/pads.js').UdpPads>[0]} [pads] of UDP
 * @property {Partial<import('./admin/access.js').AccessOptions>} [login]
 * @property {import('./engine/index.js').EngineOptions['spawn']} [spawn] see EngineOptions
 * @property {{limits?: Partial<import('./clips/clips.js').ClipLimits>, ffmpeg?: string}} [clips]
 *
 * @typedef {object} Services the objects that the parts of a TV share
 * @property {Settings} settings
 * @property {Logger} log
 * @property {string} version of pitv
 * @property {Store} store the data directory
 * @property {string | undefined} storeProblem why nothing can be saved in it
 * @property {import('./admin/access.js').AdminAccess} access of the admin
 * @property {Engine} engine
 * @property {Lobby} lobby
 * @property {Clips} clips
 * @property {Previews} previews
 * @property {RunningProfiles} profiles
 * @property {Usage} usage of memory and CPU time
 * @property {ScreenTokens} screenTokens
 * @property {Persistence} persistence saves players and matches
 * @property {Status} status
 * @property {System} system
 * @property {import('./udp/pads.js').UdpPads} [udp] where --udp is given
 * @property {import('./server/hub.js').Times} [times]
 */

/**
 * Makes a TV that is not started yet.
 * @param {Settings} settings
 * @param {Logger} log
 * @param {TvOptions} [options]
 * @returns {Promise<Tv>}
 * @throws {import('./errors.js').PitvError} PITV_USAGE, PITV_GAME_INVALID, PITV_ENGINE_UNSUPPORTED
 */
export async function createTv(settings, log, options = {}) {
  const { service, times } = options;
  const { dataDir } = settings;
  const store = new Store(dataDir, log);
  const storeProblem = await store.open(FOLDERS);
  if (storeProblem) log.warn({ dataDir, error: storeProblem }, 'nothing can be kept');
  const access = await openAdminAccess(store, {
    ...options.login,
    writable: !storeProblem,
    log,
    passwordFile: settings.adminPasswordFile,
  });
  const games = options.games ?? (await loadCatalog());
  const version = await readVersion();
  const inspectDir = storeProblem ? undefined : profilesFolder(dataDir);
  const { engine, level } = await makeEngine({ settings, log, games, inspectDir, options });
  const udp = await makeUdpPads(settings, options.pads);
  const lobby = new Lobby({
    games,
    engine,
    log,
    maxMatches: settings.maxMatches,
    code: options.code,
    graceMs: options.graceMs,
    maxPadsPerAddress: settings.maxPadsPerAddress,
    limits: options.limits,
    inputSink: udp,
  });
  const clips = new Clips({
    directory: join(dataDir, CLIPS),
    saved: store.files,
    log,
    matches: () => lobby.matches,
    ...options.clips,
    limits: { bytes: settings.clipMb * 1e6, ...options.clips?.limits },
  });
  lobby.on('ended', (match) => clips.matchEnded(match));
  const screenTokens = new ScreenTokens({
    inUse: (hash) => lobby.matches.some(({ owner }) => owner === screenOwner(hash)),
  });
  const runtimeDir = new RuntimeDir(settings.runtimeDir);
  const status = new Status({
    settings,
    log,
    version,
    code: lobby.code.code,
    runtimeDir,
    problems: () => ({
      storeProblem,
      liveProblem: persistence.problem,
      fileProblems: store.files.problems,
    }),
  });
  const persistence = new Persistence({
    store,
    lobby,
    log,
    everyMs: storeProblem ? 0 : settings.checkpointSeconds * 1000,
    people: () => ({
      savedAt: Date.now(),
      players: lobby.players.save(),
      screens: screenTokens.hashes,
    }),
    problemChanged: () => void status.update(),
  });
  const usage = new Usage({ engine, ksmLevel: level });
  return new Tv({
    settings,
    log,
    version,
    store,
    storeProblem,
    access,
    engine,
    lobby,
    clips,
    previews: new Previews({ engine, store, log }),
    profiles: new RunningProfiles({ folder: profilesFolder(dataDir), engine, log, service }),
    usage,
    screenTokens,
    persistence,
    status,
    system: new System({ settings, log, version, status, usage, runtimeDir, persistence }),
    udp,
    times,
  });
}

/**
 * Makes the engine, or with `lazy` one that is opened later.
 * @param {object} parts
 * @param {Settings} parts.settings
 * @param {Logger} parts.log
 * @param {import('./lobby/catalog.js').Game[]} parts.games
 * @param {string | undefined} parts.inspectDir see EngineOptions
 * @param {TvOptions} parts.options
 * @returns {Promise<{engine: Engine, level: () => import('./engine/ksm.js').Level}>} level: of memory merging
 */
async function makeEngine({ settings, log, games, inspectDir, options }) {
  const { maxMatches } = settings;
  const { thorough, spawn } = options;
  /** @type {import('./engine/ksm.js').Level} of the engine that was tried last, which is the one in use */
  let level = 'off';
  /** @param {string} name of an engine */
  const optionsFor = (name) => ({
    ...ksmEngineOptions((level = ksmLevel({ ...settings, engine: name }, log))),
    log,
    hangMs: settings.hangMs === 'auto' ? hangMs() : settings.hangMs,
    readyTimeoutMs: readyTimeoutMs(),
    maxWorkers: maxMatches === 'auto' ? MAX_WORKERS : maxMatches + SPARE_WORKERS,
    modules: games.map(({ url }) => url),
    thorough,
    ...(spawn && { spawn }),
    ...(inspectDir && { inspectDir }),
  });
  const open = async () => {
    if (settings.engine !== 'auto') {
      return createEngine(settings.engine, optionsFor(settings.engine));
    }
    const { engine, why } = await createBestEngine(optionsFor);
    log.info({ engine: engine.name }, `engine chosen: ${why}`);
    return engine;
  };
  const engine = options.lazy ? new LazyEngine(settings.engine, open) : await open();
  return { engine, level: () => level };
}

/** @param {Settings} settings @param {TvOptions['pads']} options @returns {Promise<Services['udp']>} */
async function makeUdpPads({ host, udp, udpReceivers, udpPin }, options) {
  if (udp === 'off') return undefined;
  const { UdpPads } = await import('./udp/pads.js');
  return new UdpPads({
    host,
    port: udp,
    receivers: udpReceivers,
    pin: udpPin === 'on',
    ...options,
  });
}
