/** Creates the objects that the parts of a TV share. */
import { openAdminAccess } from './admin/access.js';
import { RunningProfiles, profilesFolder } from './inspector/profiles.js';
import { Usage } from './inspector/usage.js';
import { compareGames } from './game/load-games.js';
import { Lobby } from './lobby/lobby.js';
import { Party } from './lobby/party.js';
import { Previews } from './match/previews.js';
import { ScreenTokens, screenOwner } from './server/screen-tokens.js';
import { Persistence } from './storage/persistence.js';
import { System } from './system/index.js';
import { RuntimeDir } from './system/runtime-dir.js';
import { Status } from './system/status.js';
import { WifiSetup } from './system/wifi-setup.js';
import { readVersion } from './version.js';

/**
 * @typedef {import('./config/settings.js').Settings} Settings
 * @typedef {import('pino').Logger} Logger
 * @typedef {import('./engine/index.js').Engine | import('./engine/lazy-engine.js').LazyEngine} Engine
 *
 * @typedef {object} TvOptions for tests, except `lazy`, `service`, `bundled`, `dev` and `output`
 * @property {boolean} [lazy] opens the engine when it is first used, or by `open()`
 * @property {import('./system/service.js').Service} [service] the service manager
 * @property {string} [bundled] folder of the packages that come with pitv; by default none is installed
 * @property {string} [dev] folder of a game that its author edits; it is the only game of the TV
 * @property {import('node:events').EventEmitter} [output] gets 'text' (name of a worker, lines that it has written)
 * @property {import('./lobby/catalog.js').Game[]} [games] by default those of `gamesDir`
 * @property {string} [gamesDir] folder of the games, by default games/
 * @property {string} [code] join code
 * @property {number} [graceMs] see LobbyOptions
 * @property {Partial<import('./match/match-limits.js').MatchLimits>} [limits]
 * @property {import('./server/hub.js').Times} [times]
 * @property {boolean} [thorough] see EngineOptions
 * @property {ConstructorParameters<typeof import('./udp/pads.js').UdpPads>[0]} [pads] see UdpPads
 * @property {Partial<import('./admin/access.js').AccessOptions>} [login]
 *
 * @typedef {object} Services
 * @property {Settings} settings
 * @property {Logger} log
 * @property {string} version of pitv
 * @property {import('./storage/store.js').Store} store the data directory
 * @property {string | undefined} storeProblem why nothing can be saved in the data directory
 * @property {import('./admin/access.js').AdminAccess} access authentication of the admin
 * @property {Engine} engine
 * @property {Lobby} lobby
 * @property {Party} party
 * @property {import('./lobby/installed-games.js').InstalledGames} installed
 * @property {import('./dev/dev-session.js').DevSession} [dev]
 * @property {Previews} previews
 * @property {RunningProfiles} profiles
 * @property {Usage} usage memory and CPU time
 * @property {ScreenTokens} screenTokens
 * @property {Persistence} persistence saves players and matches
 * @property {Status} status
 * @property {System} system
 * @property {WifiSetup} wifiSetup the access point of a board without a network
 * @property {import('./udp/pads.js').UdpPads} [udp] with --udp only
 * @property {import('./fleet/fleet.js').Fleet} [fleet] with --fleet only
 * @property {import('./server/hub.js').Times} [times]
 */

/**
 * @typedef {object} Base arguments of createServices()
 * @property {Settings} settings
 * @property {Logger} log
 * @property {import('./storage/store.js').Store} store
 * @property {string | undefined} storeProblem
 * @property {import('./lobby/catalog.js').Game[]} games
 * @property {import('./lobby/catalog.js').BrokenGame[]} brokenGames
 * @property {import('./lobby/installed-games.js').InstalledGames} installed
 * @property {Engine} engine
 * @property {() => import('./engine/ksm.js').Level} level of memory merging
 * @property {TvOptions} options
 */

/** Creates the services of a TV. @param {Base} base @returns {Promise<Services>} */
export async function createServices(base) {
  const { settings, log, store, storeProblem, engine, level, options } = base;
  const { games, brokenGames, installed } = base;
  const { dataDir } = settings;
  const version = await readVersion();
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
  const fleet = await joinFleet(settings, { version, log });
  const lobbyOptions = {
    games: allGames(),
    engine,
    log,
    maxMatches: settings.maxMatches,
    code: options.code,
    graceMs: options.graceMs,
    maxPadsPerAddress: settings.maxPadsPerAddress,
    limits: options.dev ? { emptyMs: Infinity, ...options.limits } : options.limits,
    inputSink: udp,
  };
  const lobby = fleet ? fleet.createLobby(lobbyOptions) : new Lobby(lobbyOptions);
  if (options.dev !== undefined) {
    const { DevSession } = await import('./dev/dev-session.js');
    const { packages } = installed;
    const bestEffort = settings.untrustedGames === 'open';
    const { dev: folder, output } = options;
    dev = new DevSession({ folder, packages, engine, lobby, log, bestEffort, output });
    dev.on('games', () => lobby.setGames(allGames()));
  }
  installed.on('change', () => lobby.setGames(allGames()));
  installed.isUsed = ({ folder }) =>
    lobby.matches.some(({ game }) => game.package?.folder === folder);
  lobby.on('ended', () => void installed.collect());
  const screenTokens = new ScreenTokens({
    inUse: (hash) => lobby.matches.some(({ owner }) => owner === screenOwner(hash)),
  });
  const runtimeDir = new RuntimeDir(settings.runtimeDir);
  const wifiSetup = new WifiSetup({ settings, runtimeDir, log });
  const status = new Status({
    settings,
    log,
    wifiSetup,
    version,
    joinCode: lobby.code,
    runtimeDir,
    problems: () => ({
      storeProblem,
      liveProblem: persistence.problem,
      fileProblems: store.files.problems,
    }),
  });
  const partyServices = { lobby, log, restMs: options.times?.partyRestMs };
  const party = fleet ? fleet.createParty(partyServices) : new Party(partyServices);
  const persistence = new Persistence({
    store,
    lobby,
    log,
    everyMs: storeProblem ? 0 : settings.checkpointSeconds * 1000,
    people: () => ({
      savedAt: Date.now(),
      players: lobby.players.save(),
      screens: screenTokens.hashes,
      party: party.save(),
    }),
    problemChanged: () => void status.update(),
  });
  const usage = new Usage({ engine, ksmLevel: level });
  return {
    settings,
    log,
    version,
    store,
    storeProblem,
    access,
    engine,
    lobby,
    party,
    installed,
    dev,
    previews: new Previews({ engine, store, log }),
    profiles: new RunningProfiles({
      folder: profilesFolder(dataDir),
      engine,
      log,
      service: options.service,
    }),
    usage,
    screenTokens,
    persistence,
    status,
    wifiSetup,
    system: new System({
      settings,
      log,
      version,
      status,
      usage,
      lobby,
      runtimeDir,
      persistence,
      gameProblems: () => [
        ...brokenGames.map(({ problem }) => problem),
        ...installed.problems,
        ...lobby.gameProblems,
      ],
    }),
    udp,
    fleet,
    times: options.times,
  };
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

/**
 * Joins the fleet of the settings, if there is one.
 * @param {Settings} settings @param {{version: string, log: Logger}} tv
 * @returns {Promise<Services['fleet']>}
 */
async function joinFleet(settings, tv) {
  const { fleet, fleetCredentials, fleetCa, fleetNode, fleetPartition } = settings;
  if (fleet.length === 0) return undefined;
  const { Fleet } = await import('./fleet/fleet.js');
  return Fleet.join({
    ...tv,
    servers: fleet,
    credentialsFile: fleetCredentials,
    caFile: fleetCa,
    name: fleetNode,
    partition: fleetPartition,
  });
}
