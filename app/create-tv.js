/**
 * Makes a TV out of settings: what it keeps, the admin, games, engine and lobby. Used by `pitv serve`, by
 * tests and by the harness alike.
 */
import { openAdminAccess } from './admin/access.js';
import { loadCatalog } from './lobby/catalog.js';
import { createBestEngine, createEngine } from './engine/index.js';
import { ksmEngineOptions, ksmLevel } from './engine/ksm.js';
import { FOLDER as CHECKPOINTS } from './storage/match-checkpoints.js';
import { Lobby } from './lobby/lobby.js';
import { CLIPS } from './clips/clips.js';
import { OpeningEngine } from './engine/lazy-engine.js';
import { hangMs, readyTimeoutMs } from './process/timeouts.js';
import { PREVIEWS } from './match/previews.js';
import { PROFILES, profilesFolder } from './inspector/profiles.js';
import { MATCHES } from './storage/saved-matches.js';
import { Store } from './storage/store.js';
import { PAPER } from './system/paper.js';
import { Tv } from './tv.js';
import { readVersion } from './version.js';

/** Workers beyond the matches: the pictures of the games are made by one, too. */
const SPARE_WORKERS = 2;
const WORKERS_MAX = 66;
/** In the data directory. */
const FOLDERS = [CHECKPOINTS, CLIPS, MATCHES, PAPER, PREVIEWS, PROFILES];

/**
 * @typedef {object} TvOptions for tests, except `soon` and `service`
 * @property {boolean} [soon] leave the engine for later: `engine.opened` of the TV opens it
 * @property {import('./system/service.js').Service} [service] the service manager
 * @property {import('./lobby/catalog.js').Game[]} [games] instead of those in games/
 * @property {string} [code]
 * @property {number} [graceMs]
 * @property {Partial<import('./match/match.js').MatchLimits>} [limits]
 * @property {import('./server/hub.js').HubOptions['times']} [times]
 * @property {boolean} [thorough] see EngineOptions
 * @property {ConstructorParameters<typeof import('./udp/pads.js').UdpPads>[0]} [pads] of UDP
 * @property {Partial<import('./admin/access.js').AccessOptions>} [login]
 * @property {import('./engine/index.js').EngineOptions['spawn']} [spawn] see EngineOptions
 * @property {{limits?: Partial<import('./clips/clips.js').ClipLimits>, ffmpeg?: string}} [clips]
 */

/**
 * @param {import('./config/settings.js').Settings} settings
 * @param {import('pino').Logger} log
 * @param {TvOptions} [options]
 * @returns {Promise<Tv>} not started yet
 * @throws {import('./errors.js').PitvError} PITV_USAGE, PITV_GAME_INVALID, PITV_ENGINE_UNSUPPORTED
 */
export async function createTv(
  settings,
  log,
  { games, code, graceMs, limits, times, thorough, login, pads, spawn, clips, soon, service } = {},
) {
  const store = new Store(settings.dataDir, log);
  const storeProblem = await store.open(FOLDERS);
  if (storeProblem) {
    log.warn({ dataDir: settings.dataDir, error: storeProblem }, 'nothing can be kept');
  }
  const admin = await openAdminAccess(store, {
    ...login,
    writable: !storeProblem,
    log,
    passwordFile: settings.adminPasswordFile,
  });
  const catalog = games ?? (await loadCatalog());
  const version = await readVersion();
  const { maxMatches } = settings;
  /** @type {import('./engine/ksm.js').Level} of the engine that was tried last: that is the one taken */
  let ksm = 'off';
  /** @param {string} name of an engine */
  const optionsFor = (name) => ({
    ...ksmEngineOptions((ksm = ksmLevel({ ...settings, engine: name }, log))),
    log,
    hangMs: settings.hangMs === 'auto' ? hangMs() : settings.hangMs,
    readyTimeoutMs: readyTimeoutMs(),
    maxWorkers: maxMatches === 'auto' ? WORKERS_MAX : maxMatches + SPARE_WORKERS,
    modules: catalog.map(({ url }) => url),
    thorough,
    ...(spawn && { spawn }),
    ...(!storeProblem && { inspectDir: profilesFolder(settings.dataDir) }),
  });
  const open = async () => {
    if (settings.engine !== 'auto') {
      return createEngine(settings.engine, optionsFor(settings.engine));
    }
    const { engine, why } = await createBestEngine(optionsFor);
    log.info({ engine: engine.name }, `engine chosen: ${why}`);
    return engine;
  };
  const engine = soon ? new OpeningEngine(settings.engine, open) : await open();
  let udp;
  if (settings.udp !== 'off') {
    const { UdpPads } = await import('./udp/pads.js');
    udp = new UdpPads({
      host: settings.host,
      port: settings.udp,
      receivers: settings.udpReceivers,
      pin: settings.udpPin === 'on',
      ...pads,
    });
  }
  const lobby = new Lobby({
    games: catalog,
    engine,
    log,
    maxMatches,
    code,
    graceMs,
    maxPadsPerAddress: settings.maxPadsPerAddress,
    limits,
    direct: udp,
  });
  return new Tv(settings, log, {
    engine,
    lobby,
    store,
    storeProblem,
    admin,
    version,
    ksm: () => ksm,
    times,
    udp,
    clips,
    service,
  });
}
