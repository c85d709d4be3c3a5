/** `pitv serve`: runs the TV until a signal ends it. */
import { parseSettings, serveHelp } from '../config/parse.js';
import { messageOf } from '../errors.js';
import { checkPool } from '../process/io-threads.js';
import { stopMs } from '../process/timeouts.js';
import { takeService } from '../system/service.js';
import { keepHeapSmall } from '../process/memory-tuning.js';

export const summary = 'run the TV: pages, phones, games';

const SIGNALS = /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']);
/** Exit status of a program that a signal ended, as shells have it: 128 + its number. */
const SIGNAL_STATUS = Object.freeze({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });

/** @param {string[]} argv */
export async function run(argv) {
  const settings = parseSettings(argv);
  if (settings.help) {
    process.stdout.write(serveHelp());
    return 0;
  }
  keepHeapSmall();
  const ioThreads = await checkPool(settings.ioThreads);
  // What --help does not need is loaded only now.
  const [{ createLog }, { createTv }] = await Promise.all([
    import('../log.js'),
    import('../create-tv.js'),
  ]);
  const { log, flush } = createLog(settings.logLevel);
  const service = takeService(process.env, log);
  const tv = await createTv(settings, log, { lazy: true, service });
  const over = untilOver(tv, log, flush, service);
  try {
    await tv.start();
    service.ready(statusOf(tv)); // its pages are there; a game that somebody starts now begins a little later
    if ('opened' in tv.engine) await tv.engine.opened;
    const { banner } = await import('../system/banner.js');
    const colours = process.stdout.isTTY && process.stdout.hasColors();
    process.stdout.write(await banner(tv, { colours }));
  } catch (error) {
    await tv.stop();
    flush();
    throw error;
  }
  const status = () => service.status(statusOf(tv));
  status();
  tv.lobby.on('change', status);
  const { dataDir } = settings;
  log.info({ port: tv.port, engine: tv.engine.name, dataDir, ioThreads }, 'the TV is on');
  const exitStatus = await over;
  service.close();
  flush();
  return exitStatus;
}

/** @param {import('../tv.js').Tv} tv @returns {string} one line for the service manager */
function statusOf(tv) {
  const { matches, players } = tv.lobby;
  return `${tv.join.urls[0]}, ${matches.length} matches, ${players.all.length} players, engine ${tv.engine.name}`;
}

/**
 * @param {import('../tv.js').Tv} tv
 * @param {import('pino').Logger} log
 * @param {() => void} flush
 * @param {import('../system/service.js').Service} service
 * @returns {Promise<number>} the exit status, once a signal or a fault has ended the TV
 */
function untilOver(tv, log, flush, service) {
  return new Promise((resolve) => {
    let ending = false;
    /** @param {number} status */
    const endNow = (status) => {
      tv.kill();
      flush();
      process.exit(status);
    };
    /** @param {number} status @param {number} lateStatus */
    const end = async (status, lateStatus) => {
      ending = true;
      service.stopping();
      setTimeout(() => {
        log.error('the TV did not end in time; it is ended now');
        endNow(lateStatus);
      }, stopMs()).unref();
      try {
        await tv.stop();
        resolve(status);
      } catch (error) {
        log.error({ error: messageOf(error) }, 'the TV did not end cleanly');
        endNow(1);
      }
    };
    const { tlsCert } = tv.settings;
    if (tlsCert) process.on('SIGHUP', () => void tv.server.reloadCertificate());
    for (const signal of SIGNALS) {
      if (tlsCert && signal === 'SIGHUP') continue;
      process.on(signal, () => {
        if (ending) endNow(SIGNAL_STATUS[signal]);
        log.info({ signal }, 'the TV goes off');
        void end(0, 1);
      });
    }
    for (const event of /** @type {const} */ (['uncaughtException', 'unhandledRejection'])) {
      process.on(event, (/** @type {unknown} */ error) => {
        const stack = error instanceof Error ? error.stack : undefined;
        log.fatal({ error: messageOf(error), stack }, 'a fault in the TV; it goes off');
        if (ending) endNow(1);
        void end(1, 1);
      });
    }
  });
}
