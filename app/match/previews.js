/** Pictures of the games: frames of demos that a worker plays, which browsers draw like any other frame. */
import { join } from 'node:path';
import { PitvError, messageOf } from '../errors.js';
import { findFrameProblem, frameLimitsOf, readPhase } from '../game/frame-reader.js';
import { PHASE, decodeHeader } from '../game/frame.js';
import { LIMITS } from '../limits/table.js';
import { hangMs } from '../process/timeouts.js';
import { unusable } from '../storage/saved-files.js';

/** The first tick of the picture. By then the countdown is over and the demo is in motion. */
const PICTURE_TICK = 60 * 8;
/** A game that shows no round in play until this tick has a picture of whatever it shows. */
const LAST_TICK = 4 * PICTURE_TICK;
/** As fast as a worker can tick: no one watches the demo, and the first lobby waits for its picture. */
const TICK_HZ = 1000;
const POLL_MS = 20;
const TIMEOUT_MS = 30_000;
/** A demo of others that takes longer gives way to the pictures that wait, in times that a match may stand still. */
const TURN_HANGS = 10;
const SEED = 7;
/** Running matches go first. */
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
      throw unusable('it is not a complete frame', error);
    }
    return bytes;
  },
};

/** @typedef {import('../packages/catalog.js').Game} Game */
/** @typedef {{bytes: Uint8Array, etag: string}} Preview */

/** Checks a picture that another node has made. @param {Buffer} bytes @throws {PitvError} PITV_SAVED_INVALID */
export const checkPreview = (bytes) => FORMAT.parse(bytes);

export class Previews {
  /** By game. @type {Map<string, {hash: string, preview: Promise<Preview>}>} */
  #previews = new Map();
  /** @type {Promise<unknown>} the last demo; they run one after the other */
  #queue = Promise.resolve();
  /** Number of demos that run or wait. */
  #queued = 0;
  #abort = new AbortController();
  /** Time until a failed picture is made again. */
  retryMs = LIMITS.previewPause.value;
  /** See TURN_HANGS. */
  turnMs = TURN_HANGS * hangMs();

  /**
   * @param {{engine: import('../engine/index.js').Engine, store: import('../storage/store.js').Store,
   *   log: import('pino').Logger}} parts
   */
  constructor({ engine, store, log }) {
    this.engine = engine;
    this.store = store;
    this.log = log;
  }

  /** Returns the picture of a game. @param {Game} game @returns {Promise<Preview>} @throws PITV_PREVIEW_FAILED */
  get(game) {
    const { id, hash } = game;
    const known = this.#previews.get(id);
    if (known?.hash === hash) return known.preview;
    const entry = { hash, preview: this.#load(game) };
    this.#previews.set(id, entry);
    entry.preview.catch(() => {
      setTimeout(() => {
        if (this.#previews.get(id) === entry) this.#previews.delete(id);
      }, this.retryMs).unref();
    });
    return entry.preview;
  }

  /** Returns the path of a picture that get() has made. @param {Game} game @returns {string} */
  pathOf(game) {
    return join(this.store.directory, fileOf(game));
  }

  /** @param {Game} game @returns {Promise<Preview>} */
  async #load(game) {
    const etag = etagOf(game);
    const file = fileOf(game);
    const saved = await this.store.load(file, FORMAT);
    if (saved) return { bytes: saved, etag };
    this.#queued++;
    const turn = this.#queue.then(() => this.#play(game)).finally(() => this.#queued--);
    this.#queue = turn.catch(() => {});
    const bytes = await turn;
    await this.#save(game, file, bytes);
    return { bytes, etag };
  }

  /** @param {Game} game @returns {Promise<Buffer>} */
  async #play(game) {
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    /** @type {import('../engine/index.js').WorkerHandle | undefined} */
    let worker;
    try {
      const options = { seed: SEED, match: 0 };
      const about = { name: `${game.id}-picture`, sizes: game.sizes(options), lock: game.lock };
      const pace = { tickHz: TICK_HZ, niceness: NICENESS };
      worker = await this.engine.start(game.url, { ...about, ...pace, options, signal });
      const turnEnd = game.lock ? performance.now() + this.turnMs : Infinity;
      const givesWay = () => this.#queued > 1 && performance.now() > turnEnd;
      const frame = await pictureOf(worker, givesWay);
      const problem = findFrameProblem(frame, frameLimitsOf(game));
      if (problem) throw new PitvError('PITV_FRAME_INVALID', `A frame is wrong: ${problem}.`);
      return frame;
    } catch (error) {
      this.#warn(game, error, 'the picture of a game cannot be made');
      const sentence = `There is no picture of ${game.title} yet.`;
      throw new PitvError('PITV_PREVIEW_FAILED', sentence, { cause: error });
    } finally {
      if (worker) {
        await worker.stop({ graceMs: 0 });
        this.engine.freeMailbox(worker.mailbox);
      }
    }
  }

  /** @param {Game} game @param {string} file @param {Buffer} bytes */
  async #save(game, file, bytes) {
    try {
      for (const old of await this.store.list(PREVIEWS, FILE)) {
        const id = old.slice(0, old.lastIndexOf('-')); // an id may begin with that of another game
        if (id === game.id) await this.store.remove(`${PREVIEWS}/${old}`);
      }
      await this.store.write(file, bytes);
    } catch (error) {
      this.#warn(game, error, 'the picture of a game cannot be saved');
    }
  }

  /** @param {Game} game @param {unknown} error @param {string} text */
  #warn({ id }, error, text) {
    this.log.warn({ game: id, error: messageOf(error) }, text);
  }

  /** Stops the demo that is running. */
  async close() {
    this.#abort.abort();
    await this.#queue;
  }
}

/** @param {Game} game */
export const etagOf = ({ hash }) => `"${hash.slice(0, 32)}"`;
/** @param {Game} game */
const fileOf = ({ id, hash }) => `${PREVIEWS}/${id}-${hash.slice(0, 32)}.frame`;

/**
 * Waits for a frame of a round in play, from the tick of the picture on. On a busy machine, the demo may be between two
 * rounds when this process looks.
 * @param {import('../engine/index.js').WorkerHandle} worker @param {() => boolean} givesWay to the next demo
 * @returns {Promise<Buffer>} the frame, or the last one if the demo ends before; rejects when the worker fails or gives
 *   way
 */
function pictureOf(worker, givesWay) {
  const { mailbox } = worker;
  const newest = () => (mailbox.takeFrame() ?? mailbox.lastFrame).bytes;
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      const frame = newest();
      const isPlayed = mailbox.tick >= LAST_TICK || readPhase(frame) === PHASE.play;
      if (mailbox.tick >= PICTURE_TICK && isPlayed) resolve(Buffer.from(frame));
      else if (givesWay()) reject(new Error('the demo takes long, and other pictures wait'));
      else return;
      clearInterval(timer);
    }, POLL_MS);
    worker.once('exit', ({ reason, error }) => {
      clearInterval(timer);
      if (reason === 'done') resolve(Buffer.from(newest()));
      else reject(error ?? new Error(`the worker ended: ${reason}`));
    });
  });
}
