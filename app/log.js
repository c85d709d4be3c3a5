/** Creates the log: lines of JSON on stderr, written by pino. Texts of strangers in it are shown as text. */
import { write } from 'node:fs';
import { visibleText } from './errors/visible-text.js';
import { require } from './require.js';

const { pino } = /** @type {typeof import('pino')} */ (require('pino'));

const STDERR = 2;
/** Lines that wait for the reader of stderr. Further ones are dropped. */
const MAX_BYTES = 1024 * 1024;
/** Pauses before a reader that is behind, and one that takes nothing, is tried again. */
const RETRY_MS = 100;
const BROKEN_MS = 1000;
/** How long flush() waits for the reader, and then for a write that has begun. */
const FLUSH_MS = 1000;
const STUCK_MS = 4000;

/** Writes lines to stderr, one write after the other. A reader that stops reading never blocks the main thread. */
class Lines {
  /** @type {Buffer[]} */
  #waiting = [];
  #bytes = 0;
  #isWriting = false;
  /** @type {NodeJS.Timeout | undefined} after an error */
  #retry;
  /** Is called when no line waits, or stderr takes none. */
  #onIdle = () => {};

  /** @param {string} line */
  write(line) {
    const bytes = Buffer.from(visibleText(line));
    if (this.#bytes + bytes.length > MAX_BYTES) return;
    this.#bytes += bytes.length;
    this.#waiting.push(bytes);
    this.#writeAll();
  }

  #writeAll() {
    if (this.#isWriting || this.#retry) return;
    if (this.#waiting.length === 0) return this.#onIdle();
    this.#isWriting = true;
    const chunk = Buffer.concat(this.#waiting);
    this.#waiting = [];
    write(STDERR, chunk, (error, written = 0) => {
      this.#isWriting = false;
      this.#bytes -= written;
      if (written < chunk.length) this.#waiting.unshift(chunk.subarray(written));
      if (!error) return this.#writeAll();
      const isBehind = error.code === 'EAGAIN'; // otherwise, the disk is full, or the terminal is gone
      const pauseMs = isBehind ? RETRY_MS : BROKEN_MS;
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#writeAll();
      }, pauseMs).unref();
      if (!isBehind) this.#onIdle();
    });
  }

  /** Resolves when no line waits, or stderr takes none, or after a while. @param {number} ms */
  async #idle(ms) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    await new Promise((resolve) => {
      this.#onIdle = () => resolve(undefined);
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  /** Waits a while for the reader. Lines that it does not read are lost. */
  async flush() {
    if (this.#isWriting || this.#retry) await this.#idle(FLUSH_MS);
    clearTimeout(this.#retry);
    if (this.#isWriting) await this.#idle(STUCK_MS);
    // Node.js would wait for ever for a terminal that has been stopped.
    if (this.#isWriting) process.kill(process.pid, 'SIGKILL');
  }
}

/**
 * Creates the log. Await flush() before the process ends.
 * @param {string} level a log level of the settings
 * @returns {{log: import('pino').Logger, flush: () => Promise<void>}}
 */
export function createLog(level) {
  const lines = new Lines();
  return { log: pino({ level, base: undefined }, lines), flush: () => lines.flush() };
}

/** A log that writes nothing, for tests. */
export const silentLog = pino({ level: 'silent' });
