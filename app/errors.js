/**
 * Every error pitv raises on purpose: a stable code and a sentence that says what was wrong and
 * what to do. Callers branch on `code`, people read `message`.
 */

/**
 * code -> how a process ends when nobody handles it: 1 failed, 2 bad usage.
 * @type {Readonly<Record<string, 1 | 2>>}
 */
export const EXIT_CODES = Object.freeze({
  PITV_USAGE: 2,
  PITV_NODE_TOO_OLD: 2,
});

export class PitvError extends Error {
  /**
   * @param {string} code stable, upper case, starts with PITV_ or KSM_
   * @param {string} message what was wrong and what to do, one sentence or two
   * @param {{cause?: unknown, details?: Record<string, unknown>}} [options]
   */
  constructor(code, message, { cause, details } = {}) {
    super(message, { cause });
    this.name = 'PitvError';
    this.code = code;
    this.details = details;
  }

  /** Exit status for a command that ends with this error. */
  get exitCode() {
    return EXIT_CODES[this.code] ?? 1;
  }
}

/**
 * Returns the sentence of any thrown value, for logs and for people. Never throws: a thrown object may have
 * no usable toString(), such as one that a worker sent.
 * @param {unknown} error
 * @returns {string}
 */
export function messageOf(error) {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return 'An object without a text form was thrown.';
  }
}

/**
 * Its first sentence: parseArgs() says what is wrong in one, and goes on about what it thinks was meant.
 * @param {unknown} error
 */
export const firstSentenceOf = (error) =>
  messageOf(error)
    .split(/\. |\n/)[0]
    .replace(/\.?$/, '.');
