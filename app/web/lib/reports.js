/** Texts of the TV's reports in the page's language: errors, ends of matches, notices, records. */
import { LANGUAGES } from '../languages/index.js';
import { hasText, language, text } from './language.js';

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
  const key = `end.${reason}`;
  const sentence = hasText(key) ? text(key) : (message ?? text('end.done'));
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
export function noticeText({ code = '', message }) {
  const key = `notice.${code}`;
  return hasText(key) ? text(key) : message;
}

/** Depth of parts that are translated. A sentence may quote texts of strangers, with thousands of parts. */
const MAX_DEPTH = 16;

/**
 * Translates an English sentence of the TV.
 * @param {string} sentence
 * @param {Readonly<Record<string, string>>} list the translation of each sentence; {1}, {2} … stand for parts that
 *   differ. A part that it contains is translated, too; the first match counts
 * @param {number} [depth] of parts that are translated
 * @returns {string} the sentence itself if the list does not have it
 */
export function translateSentence(sentence, list, depth = MAX_DEPTH) {
  for (const [english, translated] of Object.entries(list)) {
    const parts = findParts(english.split(/\{\d\}/), sentence);
    if (!parts) continue;
    return translated.replace(/\{(\d)\}/g, (_placeholder, n) =>
      depth > 0 ? translateSentence(parts[n - 1], list, depth - 1) : parts[n - 1],
    );
  }
  return sentence;
}

/**
 * Finds the parts of a sentence that differ, each as short as possible. A sentence may quote texts of strangers, with
 * which a regular expression could take hours.
 * @param {string[]} fixed what comes before, between and after these parts @param {string} sentence
 * @returns {string[] | undefined} none of them is empty; undefined: it is another sentence
 */
function findParts(fixed, sentence) {
  const last = fixed[fixed.length - 1];
  if (fixed.length === 1) return sentence === last ? [] : undefined;
  if (!sentence.startsWith(fixed[0]) || !sentence.endsWith(last)) return undefined;
  const end = sentence.length - last.length;
  const parts = [];
  let from = fixed[0].length;
  for (const text of fixed.slice(1, -1)) {
    const at = sentence.indexOf(text, from + 1);
    if (at < 0) return undefined;
    parts.push(sentence.slice(from, at));
    from = at + text.length;
  }
  if (from >= end) return undefined;
  return [...parts, sentence.slice(from, end)];
}

/** Names of a record or an achievement that are listed. */
const MAX_NAMES = 3;

/**
 * Describes a record or an achievement.
 * @param {import('./types.js').News} news @param {import('./types.js').Game['records']} [records] of the game
 * @param {boolean} [isNew] whether the record was just broken
 */
export function newsText(
  { people, award, record = 0, span = 'ever', value = 0 },
  records = [],
  isNew = false,
) {
  const listed = people.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = people.length - listed.length;
  if (more > 0) listed.push(text('screen.more', { count: more }));
  const names = listed.join(', ');
  const achievement = `award.${award}`;
  if (hasText(achievement)) return text(achievement, { names });
  const { name = text('record.wins'), of = 'score' } = records[record] ?? {};
  const number = new Intl.NumberFormat(language).format(of === 'time' ? value / 10 : value);
  const shown = of === 'time' ? text('record.seconds', { number }) : number;
  const line = text(`record.${span}`, { record: name, value: shown, names });
  return isNew ? text('record.new', { line }) : line;
}
