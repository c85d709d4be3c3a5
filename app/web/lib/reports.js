/** Texts of the TV's reports in the page's language: errors, ends of matches, notices. */
import { LANGUAGES } from '../languages/index.js';
import { language, text } from './language.js';
import { translateSentence } from './sentences.js';

/** @typedef {import('./language.js').TextKey} TextKey */

/** By reason. @type {Readonly<Record<string, TextKey>>} */
const ENDS = Object.freeze({
  done: 'end.done',
  stopped: 'end.stopped',
  failed: 'end.failed',
  empty: 'end.empty',
});
/** By code. @type {Readonly<Record<string, TextKey>>} */
const NOTICES = Object.freeze({ resumed: 'notice.resumed' });

/**
 * Describes an error.
 * @param {{code?: string, message: string}} error
 * @returns {string} the TV's message if the language has no text for the code or the message
 */
export function errorText({ code = '', message }) {
  const { errors } = /** @type {import('./language.js').Language} */ (LANGUAGES[language]);
  return errors[code] ?? problemText(message);
}

/**
 * Describes the end of a match.
 * @param {{reason: string, message?: string, problem?: string}} end problem: why the game failed, in development
 * @returns {string}
 */
export function endText({ reason, message, problem = '' }) {
  const sentence = ENDS[reason] ? text(ENDS[reason]) : (message ?? text('end.done'));
  return problem ? `${sentence} ${problem}` : sentence;
}

/**
 * Translates a problem of the TV, which is an English sentence.
 * @param {string} sentence
 * @param {import('./language.js').LanguageCode} [code] of the language
 * @returns {string} the sentence itself if the language has no text for it
 */
export function problemText(sentence, code = language) {
  const { problems } = /** @type {import('./language.js').Language} */ (LANGUAGES[code]);
  return translateSentence(sentence, problems);
}

/** Describes a notice. @param {{code?: string, message: string}} notice @returns {string} */
export const noticeText = ({ code = '', message }) =>
  NOTICES[code] ? text(NOTICES[code]) : message;
