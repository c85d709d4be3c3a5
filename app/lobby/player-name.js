/** The names of players. */
import { replaceHidden } from '../errors/visible-text.js';

const NAME_LETTERS = 14;
const MARKS_PER_LETTER = 2;
/** What is drawn beside others: no marks, joiners, colours of skin, or letters of a region's flag. */
const DRAWN = /[^\u200c\u200d\p{M}\p{Emoji_Modifier}\u{e0020}-\u{e007f}]/gu;
/** An emoji, such as a family of four, or a flag. */
const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
const MAX_JOINED = 4;
/**
 * Latin letters and signs, each of them one letter. Other names need Unicode's segmenter, which allocates a megabyte
 * that is never freed.
 */
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\u02ff]*$/;

/**
 * Cleans a name for the screen: one line, at most NAME_LETTERS letters, without control, direction and invisible
 * characters and without more than MARKS_PER_LETTER accents on a letter.
 * @param {unknown} raw @returns {string} empty when no letter is left
 */
export function cleanName(raw) {
  if (typeof raw !== 'string') return '';
  if (PLAIN.test(raw))
    return raw.slice(0, 200).replace(/ +/g, ' ').trim().slice(0, NAME_LETTERS).trim();
  const text = replaceHidden(raw.slice(0, 200).normalize('NFC'), () => ' ')
    .replace(/[\p{Cn}\p{Co}]/gu, ' ')
    .replace(/[\s\p{Z}]+/gu, ' ')
    .trim();
  const letters = [];
  let count = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    // Unicode joins any number of people, and of letters of some scripts, to one.
    const drawn = segment.match(DRAWN)?.length ?? 0;
    count += EMOJI.test(segment) && drawn <= MAX_JOINED ? 1 : drawn;
    if (count > NAME_LETTERS) break;
    const marks = segment.match(/\p{M}/gu)?.length ?? 0;
    letters.push(marks > MARKS_PER_LETTER ? segment.replace(/\p{M}/gu, '') : segment);
  }
  return letters
    .join('')
    .replaceAll(/^\u200d+|(?<!\u200d)\u200d+$/g, '')
    .trim();
}
