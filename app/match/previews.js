/**
 * Pictures of the games, made by the games: each plays its own demo for some seconds in a worker,
 * and one frame of that is kept. The browser draws it as it draws any frame.
 */
import { PitvError, messageOf } from '../errors.js';
import { decodeHeader } from '../game/frame.js';
import { LIMITS } from '../limits/table.js';
import { unusable } from '../storage/saved-files.js';

/** Ticks after which the picture is taken: the countdown is over, and things have got going. */
const PICTURE_TICK = 60 * 8;
/** The demo runs this much faster than a match; nobody watches it. */
const TICK_HZ = 240;
const LOOK_MS = 50;
const TIMEOUT_MS = 30_000;
const SEED = 7;
/** A picture is worth less than a running match. */
const NICENESS = 15;
export const PREVIEWS = 'previews';
const FILE = /\.frame$/;

/** @type {{maxBytes: number, parse: (bytes: Buffer) => Buffer}} */
const FORMAT = {
  maxBytes: LIMITS.savedPictureBytes.value,
  parse(bytes) {
    try {
      decodeHeader(bytes);
    } catch (error) {
      throw unusable('it is no whole frame', error);
    }
    return bytes;
  },
};

/** @typedef {import('../lobby/catalog.js').Game} Game */
/** @typedef {{bytes: Uint8Array, etag: string}} Preview */

export class Previews {
  /** @type {Map<string, Promise<Preview>>} by game */
  #previews = new Map();
  /** @type {Promise<unknown>} one at a time */
  #queue = Promise.resolve();
  #abort = new AbortController();

  /**
   * @param {object} parts
   * @param {import('../engine/index.js').Engine | import('../engine/lazy-engine.js').OpeningEngine} parts.engine
   * @param {import('../storage/store.js').Store} parts.store
   * @param {import('pino').Logger} parts.log
   * @param {number} [parts.retryMs] time until a picture that failed is made again
   */
  constructor({ engine, store, log, retryMs = LIMITS.previewPause.value }) {
    this.engine = engine;
    this.store = store;
    this.log = log;
    this.retryMs = retryMs;
  }

  /**
   * @param {Game} game
   * @returns {Promise<Preview>} one frame
   * @throws {PitvError} PITV_PREVIEW_FAILED
   */
  get(game) {
    let preview = this.#previews.get(game.id);
    if (!preview) {
      preview = this.#load(game);
      this.#previews.set(game.id, preview);
      preview.catch(() => {
        setTimeout(() => this.#previews.delete(game.id), this.retryMs).unref();
      });
    }
    return preview;
  }

  /** @param {Game} game @returns {Promise<Preview>} */
  async #load(game) {
    const etag = `"${game.hash.slice(0, 32)}"`;
    const file = `${PREVIEWS}/${game.id}-${game.hash.slice(0, 32)}.frame`;
    const kept = await this.store.load(file, FORMAT);
    if (kept) return { bytes: kept, etag };
    const turn = this.#queue.then(() => this.#play(game));
    this.#queue = turn.catch(() => {});
    const bytes = await turn;
    await this.#keep(game, file, bytes);
    return { bytes, etag };
  }

  /** @param {Game} game @returns {Promise<Buffer>} */
  async #play(game) {
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    /** @type {import('../engine/index.js').WorkerHandle | undefined} */
    let worker;
    try {
      const options = { seed: SEED, match: 0 };
      worker = await this.engine.start(game.url, {
        name: `${game.id}-picture`,
        sizes: game.sizes(options),
        options,
        tickHz: TICK_HZ,
        niceness: NICENESS,
        signal,
      });
      await pictureTaken(worker);
      const { mailbox } = worker;
      return Buffer.from((mailbox.takeFrame() ?? mailbox.lastFrame).bytes);
    } catch (error) {
      this.log.warn({ game: game.id, error: messageOf(error) }, 'no picture of the game');
      throw new PitvError('PITV_PREVIEW_FAILED', `There is no picture of ${game.title} yet.`, {
        cause: error,
      });
    } finally {
      if (worker) {
        await worker.stop({ graceMs: 0 });
        this.engine.freeMailbox(worker.mailbox);
      }
    }
  }

  /** @param {Game} game @param {string} file @param {Buffer} bytes */
  async #keep(game, file, bytes) {
    try {
      for (const old of await this.store.list(PREVIEWS, FILE)) {
        if (old.startsWith(`${game.id}-`)) await this.store.remove(`${PREVIEWS}/${old}`);
      }
      await this.store.write(file, bytes);
    } catch (error) {
      this.log.warn({ game: game.id, error: messageOf(error) }, 'the picture could not be kept');
    }
  }

  /** Stops what is being made. */
  async close() {
    this.#abort.abort();
    await this.#queue;
  }
}

/**
 * @param {import('../engine/index.js').WorkerHandle} worker
 * @returns {Promise<void>} when its game has come to the tick of the picture, or to its end
 */
function pictureTaken(worker) {
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      if (worker.mailbox.tick < PICTURE_TICK) return;
      clearInterval(timer);
      resolve();
    }, LOOK_MS);
    worker.once('exit', ({ reason, error }) => {
      clearInterval(timer);
      if (reason === 'done') resolve();
      else reject(error ?? new Error(`the worker ended: ${reason}`));
    });
  });
}
