/**
 * Translates English sentences of the TV. A list has the translation of each sentence; {1}, {2} … stand for parts that
 * differ.
 */

/**
 * Translates a sentence.
 * @param {string} sentence
 * @param {Readonly<Record<string, string>>} list a part that it contains is translated, too; the first match counts
 * @returns {string} the sentence itself if the list does not have it
 */
export function translateSentence(sentence, list) {
  for (const [english, translated] of Object.entries(list)) {
    const parts = patternOf(english).exec(sentence);
    if (!parts) continue;
    return translated.replace(/\{(\d)\}/g, (_placeholder, n) => translateSentence(parts[n], list));
  }
  return sentence;
}

/** Returns the pattern of a sentence with placeholders. @param {string} english */
const patternOf = (english) =>
  new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\d\}/g, '(.+?)')}$`, 's');
