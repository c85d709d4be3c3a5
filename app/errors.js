/** The errors that pitv throws. All codes are in errors/table.js. */
import { visibleText } from './errors/visible-text.js';

export class PitvError extends Error {
  /**
   * @param {string} code stable; a key of the table, or the code of another TV's error
   * @param {string} message one or two sentences: what went wrong and what to do. It may quote texts of
   *   strangers, whose hidden characters become visible
   * @param {{cause?: unknown, details?: Record<string, unknown>}} [options]
   */
  constructor(code, message, { cause, details } = {}) {
    super(visibleText(message), { cause });
    this.name = 'PitvError';
    this.code = code;
    this.details = details;
  }

  /** The exit status of a command that fails with this error: 2 for wrong usage, otherwise 1. */
  get exitCode() {
    return this.code === 'PITV_USAGE' ? 2 : 1;
  }
}

/** Returns the message of any thrown value. Never throws. @param {unknown} error @returns {string} */
export function messageOf(error) {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return 'An object without a text form was thrown.';
  }
}

/** Returns the first sentence of a message. The messages of parseArgs() end with suggestions. @param {unknown} error */
export const firstSentenceOf = (error) =>
  messageOf(error)
    .split(/\. |\n/)[0]
    .replace(/\.?$/, '.');

/** EAGAIN, ENOMEM, ENFILE, EMFILE, ENOBUFS. */
const SHORTAGE = /\b(EAGAIN|ENOMEM|ENFILE|EMFILE|ENOBUFS|errno (11|12|23|24|105))\b/;

/** Whether processes, descriptors or memory were lacking. @param {unknown} error */
export const isShortage = (error) => Boolean(error) && SHORTAGE.test(messageOf(error));
