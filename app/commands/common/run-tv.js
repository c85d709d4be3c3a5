/** Runs a TV until a signal ends it. */
import { messageOf } from '../../errors.js';
import { keepHeapSmall } from '../../process/memory-tuning.js';
import { stopMs } from '../../process/timeouts.js';
import { createService } from '../../system/service.js';

const SIGNALS = /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']);
/** Exit status after a signal, as shells report it: 128 + the signal's number. */
const SIGNAL_STATUS = Object.freeze({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });

/**
 * Runs a TV.
 * @param {import('../../config/settings.js').Settings} settings
 * @param {import('../../create-tv.js').TvOptions} options
 * @param {(tv: import('../../tv.js').Tv) => void} [onCreated] is called before the TV starts
 * @returns {Promise<number>} the exit status
 */
export async function runTv(settings, options, onCreated) {
  keepHeapSmall();
  // Loaded here because --help does not need them.
  const [{ createLog }, { createTv }] = await Promise.all([
    import('../../log.js'),
    import('../../create-tv.js'),
  ]);
  const { log, flush } = createLog(settings.logLevel);
  const service = createService(process.env, log);
  const tv = await createTv(settings, log, { lazy: true, service, ...options });
  const ended = waitForEnd(tv, log, flush, service);
  onCreated?.(tv);
  try {
    await tv.start();
    if (!tv.isStopping) await announce(tv, service, log);
  } catch (error) {
    if (!tv.isStopping) {
      await tv.stop();
      await flush();
      throw error;
    }
  }
  const exitStatus = await ended;
  service.close();
  await flush();
  return exitStatus;
}

/**
 * Tells the service manager and the reader of stdout that the TV runs.
 * @param {import('../../tv.js').Tv} tv @param {import('../../system/service.js').Service} service
 * @param {import('pino').Logger} log
 */
async function announce(tv, service, log) {
  service.ready(statusOf(tv)); // pages are served; a match that is started now waits until the engine is open
  await tv.engine.open();
  const { banner } = await import('../../system/banner.js');
  const colours = process.stdout.isTTY && process.stdout.hasColors();
  process.stdout.write(banner(tv, { colours }));
  const status = () => service.status(statusOf(tv));
  status();
  tv.lobby.on('change', status);
  const { dataDir } = tv.settings;
  log.info({ port: tv.port, engine: tv.engine.name, dataDir }, 'the TV is running');
}

/** Describes the TV's state for the service manager. @param {import('../../tv.js').Tv} tv @returns {string} one line */
function statusOf(tv) {
  const { matches, players } = tv.lobby;
  return `${tv.join.urls[0]}, ${matches.length} matches, ${players.all.length} players, engine ${tv.engine.name}`;
}

/**
 * Handles signals and uncaught errors: stops the TV, and kills it if it does not stop in time or at a second signal.
 * @param {import('../../tv.js').Tv} tv @param {import('pino').Logger} log
 * @param {() => Promise<void>} flush writes the rest of the log
 * @param {import('../../system/service.js').Service} service
 * @returns {Promise<number>} the exit status, when the TV has stopped
 */
function waitForEnd(tv, log, flush, service) {
  return new Promise((resolve) => {
    let stopping = false;
    /** @param {number} status */
    const kill = async (status) => {
      tv.kill();
      await flush();
      process.exit(status);
    };
    /** @param {number} status @param {number} lateStatus the exit status if the TV has to be killed */
    const stop = async (status, lateStatus) => {
      stopping = true;
      service.stopping();
      setTimeout(() => {
        log.error('the TV did not stop in time and is being killed');
        void kill(lateStatus);
      }, stopMs()).unref();
      try {
        await tv.stop({ hasFailed: status !== 0 });
        resolve(status);
      } catch (error) {
        log.error({ error: messageOf(error) }, 'the TV did not stop cleanly');
        await kill(1);
      }
    };
    const { tlsCert } = tv.settings;
    if (tlsCert) process.on('SIGHUP', () => void tv.server.reloadCertificate());
    for (const signal of SIGNALS) {
      if (tlsCert && signal === 'SIGHUP') continue;
      process.on(signal, () => {
        if (stopping) return void kill(SIGNAL_STATUS[signal]);
        log.info({ signal }, 'the TV is stopping');
        return void stop(0, 1);
      });
    }
    for (const event of /** @type {const} */ (['uncaughtException', 'unhandledRejection'])) {
      process.on(event, (/** @type {unknown} */ error) => {
        const stack = error instanceof Error ? error.stack : undefined;
        log.fatal({ error: messageOf(error), stack }, 'the TV is stopping after an uncaught error');
        void (stopping ? kill(1) : stop(1, 1));
      });
    }
  });
}
