/** A TV: starts its services and its server, resumes saved matches, and stops everything in order. */
import { messageOf } from './errors.js';
import { RunningProfiles, profilesFolder } from './system/profiles.js';
import { Usage } from './system/usage.js';
import { Previews } from './match/previews.js';
import { Records } from './lobby/records.js';
import { Server } from './server/index.js';
import { ScreenTokens, screenOwner } from './server/screen-tokens.js';
import { Persistence } from './storage/persistence.js';
import { System } from './system/index.js';
import { RuntimeDir } from './system/runtime-dir.js';
import { Status } from './system/status.js';
import { WifiSetup } from './system/wifi-setup.js';

/** Players without a seat and the join code are forgotten if the TV was off for longer. */
const RECENT_MS = 10 * 60_000;

/**
 * @typedef {object} Parts of a TV that are opened before its services
 * @property {import('./config/settings.js').Settings} settings @property {import('pino').Logger} log
 * @property {string} version of pitv
 * @property {import('./storage/store.js').Store} store the data directory
 * @property {string | undefined} storeProblem why nothing can be saved in the data directory
 * @property {import('./admin/access.js').AdminAccess} access authentication of the admin
 * @property {import('./engine/index.js').Engine} engine
 * @property {import('./lobby/home.js').Home} home
 * @property {import('./lobby/lobby.js').Lobby} lobby @property {import('./lobby/party.js').Party} party
 * @property {import('./packages/installed-games.js').InstalledGames} installed
 * @property {import('./dev/dev-session.js').DevSession} [dev]
 * @property {import('./udp/pads.js').UdpPads} [udp] with --udp only
 * @property {import('./server/hub.js').Times} [times]
 *
 * @typedef {ReturnType<typeof createServices>} Services
 */

export class Tv {
  /** @type {Promise<void> | undefined} */
  #stopped;
  /** @type {Promise<boolean> | undefined} see #open() */
  #opened;
  /** @type {Promise<{resumed: Promise<void>}> | undefined} set when saved matches are being restored */
  #restored;
  /** Saved matches that do not run yet. @type {Set<import('./match/saved-match.js').SavedMatch>} */
  #waiting = new Set();
  port = 0;

  /** @param {Services} services */
  constructor(services) {
    this.services = services;
    this.settings = services.settings;
    this.log = services.log;
    this.engine = services.engine;
    this.lobby = services.lobby;
    this.admin = services.access;
    this.profiles = services.profiles;
    this.persistence = services.persistence;
    this.udp = services.udp;
    this.server = new Server(services);
    services.status.on('change', () => this.server.hub.lobbyChanged());
  }

  get isStopping() {
    return this.#stopped !== undefined;
  }
  /** The join code. */
  get code() {
    return this.lobby.code.code;
  }
  /** The addresses for phones, the best one first, and the one in the QR code. */
  get join() {
    const { urls, joinUrl, qr } = this.services.status;
    return { urls, joinUrl, qr };
  }
  /** The address for programs on this machine. */
  get url() {
    return this.services.status.localUrl;
  }

  /** Opens the ports, then resumes saved matches. @throws PITV_PORT_BUSY, PITV_LISTEN_FAILED, PITV_TLS_* */
  async start() {
    const { party, screenTokens, status, system, usage, installed, dev, home } = this.services;
    this.#opened = this.#open();
    const isRecent = await this.#opened;
    if (this.#stopped) return;
    void system.history.record(this.server.measurements().loop); // the plots begin with the start
    this.#restored = this.#restore(isRecent);
    const { resumed } = await this.#restored;
    await resumed;
    if (this.#stopped) return;
    home.open({
      urls: () => status.urls,
      isWatched: (match) => this.server.hub.pump.watchers(match).size > 0,
      screens: () => screenTokens.own,
      addScreens: (hashes) => screenTokens.restore(hashes),
      password: this.services.access.password,
    });
    party.goOn();
    if (!this.services.storeProblem) this.persistence.start();
    usage.start();
    await installed.opened;
    if (this.#stopped) return;
    const { lobby, server } = this;
    lobby.venue.open({ lobby, party, hasScreen: () => server.hub.screens.count > 0 });
    void dev?.open();
  }

  /** Reads who was here, and opens the ports. @returns {Promise<boolean>} whether they were here a short time ago */
  async #open() {
    const { party, screenTokens, status, system, wifiSetup, records } = this.services;
    await system.updates.open();
    const people = await this.persistence.loadPeople();
    await records.load();
    // Phones reconnect as soon as the port is open, and the players among them must be recognised.
    this.lobby.players.restore(people.players, people.lastPlayer);
    screenTokens.restore(people.screens, true);
    if (people.party) party.restore(people.party);
    this.lobby.botStrength = people.botStrength ?? 0;
    this.lobby.venue.volume = people.volume;
    const isRecent = Math.abs(Date.now() - people.savedAt) < RECENT_MS;
    if (people.code) this.lobby.code.restore(people.code, isRecent); // phones have it in their address
    this.port = await this.server.listen();
    await this.udp?.open();
    await wifiSetup.open();
    await status.open(this.port);
    return isRecent;
  }

  /**
   * Adds the saved matches to the lobby, where they continue once `resumed` resolves. If the players were saved
   * a long time ago, those without a seat are removed.
   * @param {boolean} recent whether they were saved a short time ago
   */
  async #restore(recent) {
    const matches = await this.persistence.loadSaved();
    const seated = new Set(matches.flatMap(({ saved }) => saved.seats.map((seat) => seat.player)));
    const { players } = this.lobby;
    for (const player of players.all) {
      if (!recent && !seated.has(player.id) && !player.connected) players.remove(player);
    }
    return { resumed: this.#resume(matches) };
  }

  /** @param {import('./match/saved-match.js').SavedMatch[]} matches */
  async #resume(matches) {
    this.#waiting = new Set(matches);
    await Promise.all(
      matches.map(async (match) => {
        const { saved, checkpoint } = match;
        const fields = { match: saved.id, game: saved.game };
        try {
          const isKnown = this.lobby.games.some(({ id }) => id === saved.game);
          if (!isKnown) await this.services.installed.opened;
          await this.lobby.resume(saved, checkpoint);
          this.#waiting.delete(match);
          this.log.info(fields, 'a saved match was resumed');
        } catch (error) {
          const isOpen = await this.engine.open().then(
            () => true,
            () => false,
          );
          if (this.#stopped || !isOpen) return; // stop() saves it again
          this.#waiting.delete(match);
          const about = { ...fields, error: messageOf(error) };
          this.log.warn(about, 'a saved match could not be resumed');
          this.persistence.forget(saved.id);
        }
      }),
    );
  }

  /**
   * Stops the TV: saves matches and players for the next start, ends the workers, closes the ports and frees the
   * memory. Idempotent.
   * @param {{hasFailed?: boolean}} [how] hasFailed: whether an error is the reason
   */
  stop({ hasFailed = false } = {}) {
    this.#stopped ??= (async () => {
      const { status, wifiSetup, system, previews, usage, installed, dev } = this.services;
      const { store, storeProblem } = this.services;
      await this.#opened?.catch(() => {}); // what is being opened would stay open
      status.close();
      wifiSetup.close();
      const devClosed = dev?.close();
      this.lobby.venue.close();
      this.persistence.stop();
      system.close();
      await this.#restored?.catch(() => {}); // the saved matches are being read, and are saved again below
      const people = this.persistence.people();
      this.services.party.close();
      await this.services.home.close();
      const closed = this.server.close();
      const [suspended] = await Promise.all([this.lobby.suspend(), previews.close()]);
      const ids = suspended.map(({ saved }) => saved.id);
      const waiting = [...this.#waiting].filter(({ saved }) => !ids.includes(saved.id));
      const matches = [...suspended, ...waiting];
      const keep = this.#restored && !storeProblem;
      await Promise.all([this.admin.sessions.saved(), this.services.records.saved()]);
      const saved = keep
        ? this.persistence.save(matches, people, hasFailed)
        : this.persistence.close();
      const closing = [this.engine.close(), closed, this.udp?.close(), installed.close()];
      await Promise.all([saved, ...closing, devClosed]);
      usage.close();
      store.release();
    })();
    return this.#stopped;
  }

  /** Kills the processes of the workers, when stop() takes too long. */
  kill() {
    for (const { pid } of this.engine.workers) {
      if (pid === 0 || pid === process.pid) continue;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended already.
      }
    }
  }
}

/**
 * Creates the services around the home of a TV.
 * @param {Parts} parts
 * @param {object} how
 * @param {() => import('./engine/ksm.js').Level} how.level of memory merging
 * @param {import('./packages/catalog.js').BrokenGame[]} how.brokenGames
 * @param {import('./create-tv.js').TvOptions} how.options
 */
export function createServices(parts, { level, brokenGames, options }) {
  const { settings, log, version, store, storeProblem, engine, lobby, party } = parts;
  const { home, installed } = parts;
  installed.isUsed = ({ folder }) =>
    lobby.matches.some(({ game }) => game.package?.folder === folder);
  lobby.on('ended', () => void installed.collect());
  const screenTokens = new ScreenTokens((hash) =>
    lobby.matches.some(({ owner }) => owner === screenOwner(hash)),
  );
  const runtimeDir = new RuntimeDir(settings.runtimeDir);
  const wifiSetup = new WifiSetup({ settings, runtimeDir, log });
  const about = { settings, log, version, runtimeDir };
  const status = new Status({
    ...about,
    wifiSetup,
    joinCode: lobby.code,
    problems: () => ({
      storeProblem,
      liveProblem: persistence.problem,
      notices: [...lobby.venue.notices(lobby.games), ...home.notices],
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
      lastPlayer: lobby.players.lastId,
      screens: screenTokens.hashes,
      party: party.save(),
      code: lobby.code.linkCode,
      botStrength: lobby.botStrength,
      volume: lobby.venue.volume,
    }),
    problemChanged: () => void status.update(),
  });
  const usage = new Usage({ engine, ksmLevel: level });
  const folder = profilesFolder(settings.dataDir);
  return {
    ...parts,
    previews: new Previews({ engine, store, log }),
    records: new Records({ store, lobby, log, writable: !storeProblem }),
    profiles: new RunningProfiles({ folder, engine, log, service: options.service }),
    usage,
    screenTokens,
    persistence,
    status,
    wifiSetup,
    system: new System({
      ...about,
      status,
      usage,
      lobby,
      persistence,
      gameProblems: () => [
        ...brokenGames.map(({ problem }) => problem),
        ...installed.problems,
        ...lobby.gameList.problems,
      ],
    }),
  };
}
