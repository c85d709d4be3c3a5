/**
 * The language of the commands' output, without that of --help, which is English. English texts are in the code;
 * another language has a list of translations in a file here. The pages have their own texts, in web/languages.
 */
import { indentLines } from '../errors/visible-text.js';
import { chooseLanguage } from '../web/lib/language.js';
import { translateSentence } from '../web/lib/reports.js';
import { LANGUAGES } from '../web/languages/index.js';
import ko from './ko.js';

/**
 * @typedef {object} CommandTexts
 * @property {Readonly<Record<string, string>>} errors by code; those that the pages have are in web/languages
 * @property {Readonly<Record<string, string>>} sentences by the English sentence; see translateSentence()
 *
 * @typedef {import('../web/lib/language.js').LanguageCode} LanguageCode
 */

/** @type {Readonly<Partial<Record<LanguageCode, CommandTexts>>>} */
export const COMMAND_TEXTS = Object.freeze({ ko });

/** The value of the setting `language` for the machine's language. */
export const AUTO = 'auto';

/**
 * Returns the language that the environment selects, by the rules of POSIX (Base Definitions, section 8.2).
 * @param {Record<string, string | undefined>} [env]
 * @returns {LanguageCode} English for the locales C and POSIX, and for a language without texts
 */
export function systemLanguage(env = process.env) {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  return chooseLanguage([locale.split(/[_.@]/)[0]]);
}

/**
 * Returns the language of the TV.
 * @param {string} setting AUTO or a language tag
 * @param {Record<string, string | undefined>} [env]
 * @returns {LanguageCode}
 */
export const tvLanguage = (setting, env) =>
  setting === AUTO ? systemLanguage(env) : chooseLanguage([setting]);

/** Translates a sentence. @param {string} english @param {LanguageCode} [code] */
export const sentenceText = (english, code = systemLanguage()) =>
  translateSentence(english, COMMAND_TEXTS[code]?.sentences ?? {});

/**
 * Describes an error. A sentence without a translation follows the general one of its code, because it has the details.
 * @param {{code?: string, message: string}} error @param {LanguageCode} [code] of the language
 */
export function errorText({ code: error = '', message }, code = systemLanguage()) {
  const texts = COMMAND_TEXTS[code];
  if (!texts) return indentLines(message);
  const translated = translateSentence(message, texts.sentences);
  if (translated !== message) return translated;
  /** @type {Readonly<Record<string, string>>} */
  const pages = LANGUAGES[code].errors;
  const general = texts.errors[error] ?? pages[error];
  return general ? `${general}\n  ${indentLines(message)}` : indentLines(message);
}
