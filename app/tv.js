/** The TV: server, lobby and what is kept; starts them and takes them down again. */
import { join } from 'node:path';
import { lanAddresses, mdnsName, reachableUrls } from './system/addresses.js';
import { memoryOf } from './engine/host/procfs.js';
import { messageOf } from './errors.js';
import { ksmSample } from './engine/ksm.js';
import { Keeping } from './storage/persistence.js';
import { CLIPS, Clips } from './clips/clips.js';
import { Previews } from './match/previews.js';
import { qrCode } from './system/qr.js';
import { RunningProfiles, profilesFolder } from './inspector/profiles.js';
import { Server } from './server/index.js';
import { Sessions } from './storage/saved-matches.js';
import { System } from './system/index.js';
import { findProblems } from './system/problems.js';

/** How often it is looked whether the machine's addresses have changed (Wi-Fi comes and goes). */
const ADDRESSES_MS = 10_000;
/** After a restart within this time even those who were only in the lobby are known. */
const RECENT_MS = 10 * 60_000;

/** pidusage tells the CPU since the last call, if that was not longer ago than this, ms. */
const CPU_SINCE_LAST_SCRAPE = Object.freeze({ maxage: 3_600_000 });

export class Tv {
  /** @type {NodeJS.Timeout | undefined} */
  #addressTimer;
  /** @type {Promise<void> | undefined} */
  #stopped;
  #join = { urls: /** @type {string[]} */ ([]), joinUrl: '', qr: '' };
  #mdns = /** @type {string | undefined} */ (undefined);
  /** @type {Promise<{resumed: Promise<void>}> | undefined} what an earlier start left */
  #taking;
  #pidusage = /** @type {typeof import('pidusage') | undefined} */ (undefined);
  /** What is wrong, in sentences. */
  problems = /** @type {string[]} */ ([]);
  port = 0;

  /**
   * @param {import('./config/settings.js').Settings} settings
   * @param {import('pino').Logger} log
   * @param {object} parts
   * @param {import('./engine/index.js').Engine | import('./engine/lazy-engine.js').OpeningEngine} parts.engine
   * @param {import('./lobby/lobby.js').Lobby} parts.lobby
   * @param {import('./storage/store.js').Store} parts.store
   * @param {string | undefined} parts.storeProblem
   * @param {import('./admin/access.js').AdminAccess} parts.admin
   * @param {string} parts.version
   * @param {() => import('./engine/ksm.js').Level} parts.ksm level
   * @param {import('./server/hub.js').HubOptions['times']} [parts.times]
   * @param {import('./udp/pads.js').UdpPads} [parts.udp]
   * @param {import('./create-tv.js').TvOptions['clips']} [parts.clips]
   * @param {import('./system/service.js').Service} [parts.service]
   */
  constructor(
    settings,
    log,
    { engine, lobby, store, storeProblem, admin, version, ksm, times, udp, clips, service },
  ) {
    this.settings = settings;
    this.log = log;
    this.engine = engine;
    this.ksm = ksm;
    this.lobby = lobby;
    this.store = store;
    this.storeProblem = storeProblem;
    this.admin = admin;
    this.udp = udp;
    this.version = version;
    this.sessions = new Sessions(store, log);
    this.keeping = new Keeping({
      store,
      sessions: this.sessions,
      lobby,
      log,
      everyMs: storeProblem ? 0 : settings.checkpointSeconds * 1000,
      people: () => this.#people(),
      problemChanged: () => void this.#look(),
    });
    this.system = new System({
      settings,
      log,
      version,
      shown: () => ({ urls: this.#join.urls, problems: this.problems }),
      sample: () => this.#sample(),
      bytesWritten: () => this.keeping.bytesWritten,
    });
    this.previews = new Previews({ engine, store, log });
    this.profiles = new RunningProfiles({
      folder: profilesFolder(settings.dataDir),
      engine,
      log,
      service,
    });
    this.clips = new Clips({
      directory: join(settings.dataDir, CLIPS),
      saved: store.files,
      log,
      matches: () => lobby.matches,
      ...clips,
      limits: { bytes: settings.clipMb * 1e6, ...clips?.limits },
    });
    lobby.on('ended', (match) => this.clips.matchEnded(match));
    this.server = new Server({
      lobby,
      settings,
      log,
      version,
      times,
      access: admin,
      system: this.system,
      profiles: this.profiles,
      udp,
      clips: this.clips,
      join: () => ({ ...this.#join, problems: this.problems }),
      sample: () => this.#sample(),
      preview: (game) => this.previews.get(game),
    });
  }

  get code() {
    return this.lobby.code.code;
  }
  /** How phones get in: addresses, the best one first, and the one in the QR code. */
  get join() {
    return this.#join;
  }
  /** For programs on this machine. */
  get url() {
    const { host } = this.settings;
    const name = host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? '[::1]' : host;
    return `${this.#scheme}://${name}:${this.port}`;
  }
  get #scheme() {
    return this.settings.tlsCert ? 'https' : 'http';
  }

  /** @throws {import('./errors.js').PitvError} PITV_PORT_BUSY, PITV_LISTEN_FAILED, PITV_TLS_* */
  async start() {
    await this.clips.open();
    const people = await this.sessions.people();
    // Before the first connection: phones come back at once, and a known one must not need the new code.
    this.lobby.players.restore(people.players);
    this.server.hub.screens.restore(people.screens);
    this.port = await this.server.listen();
    await this.udp?.open();
    await this.#look();
    if (this.#stopped) return;
    this.#addressTimer = setInterval(() => void this.#look(), ADDRESSES_MS).unref();
    this.#taking = this.#takeUp(people.savedAt);
    const { resumed } = await this.#taking;
    await resumed;
    if (this.#stopped) return;
    this.keeping.start();
    void this.#usage().catch(() => {}); // or the first scrape would read 0
  }

  /**
   * Saved matches are in the lobby when this resolves, and go on once `resumed` does.
   * After a long time, players without a seat are forgotten.
   * @param {number} savedAt ms since 1970, when players were saved
   */
  async #takeUp(savedAt) {
    const matches = await this.keeping.take();
    const seated = new Set(matches.flatMap(({ saved }) => saved.seats.map((seat) => seat.player)));
    const recent = Math.abs(Date.now() - savedAt) < RECENT_MS;
    const { players } = this.lobby;
    for (const player of players.all) {
      if (!recent && !seated.has(player.id) && !player.connected) players.remove(player);
    }
    return { resumed: this.#resume(matches) };
  }

  /** The main process's CPU since the last time. Loaded for the first who asks: no page needs it. */
  async #usage() {
    this.#pidusage ??= (await import('pidusage')).default;
    return this.#pidusage(process.pid, CPU_SINCE_LAST_SCRAPE);
  }

  /** @returns {import('./storage/saved-matches.js').People} */
  #people() {
    return {
      savedAt: Date.now(),
      players: this.lobby.players.save(),
      screens: this.server.hub.screens.known,
    };
  }

  /** @param {{saved: import('./match/match.js').Saved, checkpoint: Buffer}[]} matches */
  async #resume(matches) {
    await Promise.all(
      matches.map(async ({ saved, checkpoint }) => {
        try {
          await this.lobby.resume(saved, checkpoint);
          this.log.info({ match: saved.id, game: saved.game }, 'an interrupted match goes on');
        } catch (error) {
          this.log.warn(
            { match: saved.id, game: saved.game, error: messageOf(error) },
            'an interrupted match was given up',
          );
          this.keeping.forget(saved.id);
        }
      }),
    );
  }

  /** Looks at what may change around the TV. */
  async #look() {
    if (this.#stopped) return;
    const { problemsDir, dataDir } = this.settings;
    const [problems] = await Promise.all([
      findProblems({
        problemsDir,
        dataDir,
        storeProblem: this.storeProblem,
        liveProblem: this.keeping.problem,
        fileProblems: this.store.files.problems,
      }),
      this.#updateAddresses(),
    ]);
    if (problems.join('\n') !== this.problems.join('\n')) {
      this.problems = problems;
      this.server.hub.lobbyChanged();
    }
    const { urls, joinUrl } = this.#join;
    const { code, version } = this;
    try {
      await this.system.runtimeDir.show({ urls, joinUrl, code, problems, version });
    } catch (error) {
      this.log.warn({ error: messageOf(error) }, 'the console cannot be written');
    }
  }

  async #updateAddresses() {
    const { host, publicUrl } = this.settings;
    this.#mdns = await mdnsName(); // its responder may come up later than the TV
    const addresses = lanAddresses();
    const urls = reachableUrls({
      scheme: this.#scheme,
      host,
      port: this.port,
      publicUrl,
      mdns: this.#mdns,
      addresses,
    });
    const joinUrl = `${urls[0]}/p?c=${this.code}`;
    if (urls.join() === this.#join.urls.join()) return;
    const qr = qrCode(joinUrl, { type: 'svg', margin: 1 });
    this.#join = { urls, joinUrl, qr };
    this.server.hub.lobbyChanged();
  }

  /** @returns {Promise<import('./server/metrics.js').Sample>} */
  async #sample() {
    const [memory, usage, workers] = await Promise.all([
      memoryOf(process.pid),
      this.#usage(),
      this.engine.stats(),
    ]);
    const { pssKib = null, ussKib = null, rssKib = null } = memory ?? {};
    const pids = workers.map(({ pid }) => pid);
    const ksm = ksmSample(this.ksm(), pids);
    return { main: { pssKib, ussKib, rssKib, cpu: usage.cpu }, workers, ksm };
  }

  /** See Server.measurements(). */
  measurements() {
    return this.server.measurements();
  }
  measureAnew() {
    this.server.measureAnew();
  }

  /**
   * Takes the TV down: matches are checkpointed and kept for the next start, workers end, memory is
   * given back. Idempotent.
   */
  stop() {
    this.#stopped ??= (async () => {
      clearInterval(this.#addressTimer);
      this.keeping.stop();
      this.system.close();
      await this.#taking?.catch(() => {}); // else it would be lost
      const people = this.#people();
      const closed = this.server.close();
      const [matches] = await Promise.all([
        this.lobby.suspend(),
        this.previews.close(),
        this.clips.close(),
      ]);
      const keep = this.#taking && !this.storeProblem;
      await this.admin.sessions.saved();
      const saved = keep ? this.keeping.save(matches, people) : this.keeping.close();
      await Promise.all([saved, this.engine.close(), closed, this.udp?.close()]);
      this.#pidusage?.clear();
    })();
    return this.#stopped;
  }

  /** Ends the workers' processes at once, for a TV that has no time left. */
  kill() {
    for (const { pid } of this.engine.workers) {
      if (pid === 0 || pid === process.pid) continue;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }
}
