/**
 * Letters that the outlines have not: Chinese, Japanese, Korean and many more, symbols, emoji, as bitmaps
 * of 16 rows (GNU Unifont's .hex: code point, colon, a bit a pixel, 8 or 16 of them a row). At the size
 * of a name in a clip that is about a pixel for a pixel.
 */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const ROWS = 16;
/** Rows above the base line. */
const ASCENT = 14;
/** The other letters are bold: so much of a pixel more to the right. */
const BOLDER = 0.35;

/** @typedef {import('./text.js').Glyph} Glyph */

/** All lines; half a megabyte that most clips don't need. @type {string | undefined} */
let lines;
/** @type {Map<string, Glyph | undefined>} */
const known = new Map();

/**
 * @param {string} letter one code point
 * @param {number} units of the font: what an em has
 * @returns {Glyph | undefined}
 */
export function bitmapGlyph(letter, units) {
  if (!known.has(letter)) known.set(letter, find(letter, units));
  return known.get(letter);
}

/** @param {string} letter @param {number} units @returns {Glyph | undefined} */
function find(letter, units) {
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
    commands: boxes(rows, width).flatMap(([x0, y0, x1, y1]) => {
      const [left, right] = [x0 * pixel, (x1 + BOLDER) * pixel];
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
 * The pixels that are set as few rectangles: runs of a row, and as far down as they are the same.
 * @param {number[]} rows @param {number} width
 * @returns {[number, number, number, number][]} left, top, right, bottom in pixels
 */
function boxes(rows, width) {
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
