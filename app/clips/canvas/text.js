/**
 * Draws text. glyphs.txt has the outlines of one bold typeface for Latin, Greek and Cyrillic letters; bitmaps replace
 * the others. There is no shaping: Arabic letters are not joined, and marks are drawn over the previous letter.
 */
import { readFileSync } from 'node:fs';
import { bitmapGlyph } from './bitmaps.js';

/** Code point of the glyph for missing letters: a box. */
const MISSING = 0x25a1;
/** Invisible code points, such as joiners and variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Runs of letters that are written from right to left, with their marks and the spaces between them. */
const RIGHT_TO_LEFT =
  /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}]([\p{M}\s]*[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}])*\p{M}*/gu;

/**
 * @typedef {object} Glyph in font units, y downwards
 * @property {number} advance
 * @property {[string, number[]][]} commands of its outline
 * @property {boolean} [overlaid] whether it is drawn over the previous glyph
 */

/** @type {{units: number, ascent: number, descent: number, glyphs: Map<number, Glyph>} | undefined} */
let face;

function loadFace() {
  const text = readFileSync(new URL('./glyphs.txt', import.meta.url), 'latin1');
  const [, units, ascent, descent] = (
    /units (\d+) ascent (\d+) descent (\d+)/.exec(text) ?? []
  ).map(Number);
  const glyphs = new Map();
  for (const line of text.split('\n')) {
    const [, code, advance, outline] = /^([0-9a-f]{4}) (\d+) (.*)$/.exec(line) ?? [];
    if (!code) continue;
    const commands = [...outline.matchAll(/([MLQZ])([^MLQZ]*)/g)].map(([, name, numbers]) => [
      name,
      numbers ? numbers.split(' ').map(Number) : [],
    ]);
    glyphs.set(parseInt(code, 16), { advance: Number(advance), commands });
  }
  return { units, ascent, descent, glyphs };
}

const getFace = () => (face ??= loadFace());

/** Returns the glyphs of a text from left to right. @param {string} text @returns {Glyph[]} */
function glyphsOf(text) {
  const { units, glyphs } = getFace();
  const missing = /** @type {Glyph} */ (glyphs.get(MISSING));
  // NFC composes a letter and its accent.
  const visible = text.normalize('NFC').replace(INVISIBLE, '').replace(RIGHT_TO_LEFT, reverseRun);
  return [...visible].map(
    (letter) => glyphs.get(letter.codePointAt(0) ?? 0) ?? bitmapGlyph(letter, units) ?? missing,
  );
}

/** Reverses the order of letters. Marks stay behind their letters. @param {string} run @returns {string} */
const reverseRun = (run) => (run.match(/\P{M}\p{M}*/gu) ?? []).reverse().join('');

/** Measures a text. @param {string} text @param {number} size px @returns {number} px */
export function textWidth(text, size) {
  const { units } = getFace();
  return (glyphsOf(text).reduce((sum, { advance }) => sum + advance, 0) * size) / units;
}

/** Returns the height of the letters' middle above the baseline. @param {number} size px @returns {number} px */
export function middleOf(size) {
  const { units, ascent, descent } = getFace();
  return ((ascent - descent) / 2 / units) * size;
}

/**
 * Adds the outlines of a text to a path.
 * @param {import('./path.js').Path} path
 * @param {import('./path.js').Matrix} matrix
 * @param {string} text @param {number} x left end @param {number} y baseline
 * @param {number} size px
 */
export function addText(path, [a, b, c, d, e, f], text, x, y, size) {
  const k = size / getFace().units;
  let pen = x;
  let previous = x;
  for (const { advance, commands, overlaid } of glyphsOf(text)) {
    const at = overlaid ? previous : pen;
    /** @type {import('./path.js').Matrix} */
    const m = [a * k, b * k, c * k, d * k, a * at + c * y + e, b * at + d * y + f];
    let [px, py] = [0, 0];
    for (const [name, numbers] of commands) {
      if (name === 'M') path.move(m, numbers[0], numbers[1]);
      else if (name === 'L') path.line(m, numbers[0], numbers[1]);
      else if (name === 'Q') path.curve(m, px, py, numbers[0], numbers[1], numbers[2], numbers[3]);
      else path.close();
      if (name !== 'Z') [px, py] = numbers.slice(-2);
    }
    previous = at;
    pen += advance * k;
  }
}
