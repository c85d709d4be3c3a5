/**
 * Bitmaps of letters without outlines: Chinese, Japanese, Korean and other scripts, symbols and emoji. They have 16
 * rows of 8 or 16 pixels, in the .hex format of GNU Unifont: code point, colon, one bit per pixel. A name in a clip has
 * about that size.
 */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const ROWS = 16;
/** Rows above the baseline. */
const ASCENT = 14;
/** Added to the width of each run of pixels, in pixels, to match the bold outlines. */
const EXTRA_WIDTH = 0.35;

/** @typedef {import('./text.js').Glyph} Glyph */

/**
 * All lines of the file, half a megabyte. Loaded when needed, because most clips do not need it.
 * @type {string | undefined}
 */
let lines;
/** @type {Map<string, Glyph | undefined>} */
const cache = new Map();

/**
 * Returns the glyph of a letter.
 * @param {string} letter one code point
 * @param {number} units font units per em
 * @returns {Glyph | undefined} undefined if there is no bitmap
 */
export function bitmapGlyph(letter, units) {
  if (!cache.has(letter)) cache.set(letter, loadGlyph(letter, units));
  return cache.get(letter);
}

/** @param {string} letter @param {number} units @returns {Glyph | undefined} */
function loadGlyph(letter, units) {
  lines ??= `\n${brotliDecompressSync(readFileSync(new URL('./bitmaps.br', import.meta.url))).toString('latin1')}`;
  const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const at = lines.indexOf(`\n${code}:`);
  if (at < 0) return undefined;
  const begin = at + code.length + 2;
  const digits = lines.slice(begin, lines.indexOf('\n', begin));
  const width = (digits.length / ROWS) * 4;
  const rows = Array.from({ length: ROWS }, (_, row) =>
    parseInt(digits.slice((row * width) / 4, ((row + 1) * width) / 4), 16),
  );
  const pixel = units / ROWS;
  return {
    advance: /\p{M}/u.test(letter) ? 0 : width * pixel,
    overlaid: /\p{M}/u.test(letter),
    commands: rectanglesOf(rows, width).flatMap(([x0, y0, x1, y1]) => {
      const [left, right] = [x0 * pixel, (x1 + EXTRA_WIDTH) * pixel];
      const [top, bottom] = [(y0 - ASCENT) * pixel, (y1 - ASCENT) * pixel];
      return /** @type {Glyph['commands']} */ ([
        ['M', [left, top]],
        ['L', [right, top]],
        ['L', [right, bottom]],
        ['L', [left, bottom]],
        ['Z', []],
      ]);
    }),
  };
}

/**
 * Covers the set pixels with rectangles: equal runs in consecutive rows are one rectangle.
 * @param {number[]} rows bit sets @param {number} width pixels
 * @returns {[number, number, number, number][]} left, top, right, bottom in pixels
 */
function rectanglesOf(rows, width) {
  /** @type {[number, number, number, number][]} */
  const done = [];
  /** @type {[number, number, number, number][]} */
  let open = [];
  rows.forEach((bits, y) => {
    /** @type {typeof open} */
    const next = [];
    for (let x = 0; x < width; x++) {
      const from = x;
      while (x < width && (bits >> (width - 1 - x)) & 1) x++;
      if (x === from) continue;
      const above = open.find((box) => box[0] === from && box[2] === x);
      next.push([from, above ? above[1] : y, x, y + 1]);
    }
    done.push(...open.filter((box) => !next.some((one) => one[0] === box[0] && one[2] === box[2])));
    open = next;
  });
  return [...done, ...open];
}
