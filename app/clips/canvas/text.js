/**
 * Letters as outlines: the file has those of one bold face, for Latin, Greek and Cyrillic; bitmaps stand in
 * for the others. Letters are set one after the other: Arabic ones are not joined, and marks just lie over
 * the letter before.
 */
import { readFileSync } from 'node:fs';
import { bitmapGlyph } from './bitmaps.js';

/** Stands for a letter without a glyph: a box. */
const MISSING = 0x25a1;
/** What has no width: it joins letters, or says how an emoji looks. */
const JOINERS = /\p{Default_Ignorable_Code_Point}/gu;

/** Runs of letters that are written from right to left, with what lies between them. */
const LEFTWARDS =
  /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}]([\p{M}\s]*[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}])*\p{M}*/gu;

/**
 * @typedef {object} Glyph in font units, y downwards
 * @property {number} advance
 * @property {[string, number[]][]} commands of its outline
 * @property {boolean} [overlaid] it lies over the one before
 */

/** @type {{units: number, ascent: number, descent: number, glyphs: Map<number, Glyph>} | undefined} */
let face;

function load() {
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

const theFace = () => (face ??= load());

/** @param {string} text @returns {Glyph[]} */
function glyphsOf(text) {
  const { units, glyphs } = theFace();
  const missing = /** @type {Glyph} */ (glyphs.get(MISSING));
  // Composed, so that e + accent is one letter.
  const shown = text.normalize('NFC').replace(JOINERS, '').replace(LEFTWARDS, turned);
  return [...shown].map(
    (letter) => glyphs.get(letter.codePointAt(0) ?? 0) ?? bitmapGlyph(letter, units) ?? missing,
  );
}

/** @param {string} run @returns {string} from its end, each letter with its marks */
const turned = (run) => (run.match(/\P{M}\p{M}*/gu) ?? []).reverse().join('');

/** @param {string} text @param {number} size px @returns {number} px */
export function textWidth(text, size) {
  const { units } = theFace();
  return (glyphsOf(text).reduce((sum, { advance }) => sum + advance, 0) * size) / units;
}

/** Where the middle of the letters lies above the base line. @param {number} size px */
export function middleOf(size) {
  const { units, ascent, descent } = theFace();
  return ((ascent - descent) / 2 / units) * size;
}

/**
 * @param {import('./path.js').Path} path
 * @param {import('./path.js').Matrix} matrix
 * @param {string} text @param {number} x where it begins @param {number} y of its base line
 * @param {number} size px
 */
export function addText(path, [a, b, c, d, e, f], text, x, y, size) {
  const k = size / theFace().units;
  let pen = x;
  let before = x;
  for (const { advance, commands, overlaid } of glyphsOf(text)) {
    const at = overlaid ? before : pen;
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
    before = at;
    pen += advance * k;
  }
}
