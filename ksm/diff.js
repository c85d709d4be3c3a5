/**
 * Compares the private anonymous pages of two processes, and finds out why KSM cannot merge a page. A page
 * without an equal page is compared with the most similar page of the other process, the one with the most equal
 * pieces of 64 bytes. The words that differ show the cause.
 */
import { createHash } from 'node:crypto';
import { mib, table } from './table.js';

const PIECE_BYTES = 64;
const ZEROS = Buffer.alloc(PIECE_BYTES);
/** Maximum of the cause `few words`. */
const FEW_WORDS = 8;
const WORD_BYTES = ['arm', 'ia32'].includes(process.arch) ? 4 : 8;

/** @typedef {import('./pages.js').Page} Page */
/** @typedef {import('./pages.js').Snapshot} Snapshot */

/** Cause -> its meaning. */
export const CAUSES = Object.freeze({
  merged: 'both processes have the same physical page',
  zero: 'filled with zeros',
  equal: 'the other process has an equal page: KSM can merge it',
  addresses: 'only addresses differ: randomised by ASLR',
  'few words': `at most ${FEW_WORDS} words other than addresses differ, such as random keys and counters`,
  content: 'more differs than addresses and a few words',
  'only here': 'no page of the other process is similar',
});
/** @typedef {keyof typeof CAUSES} Cause */
/** @typedef {{kind: import('./pages.js').MappingKind, cause: Cause, pages: number, kib: number}} Row */

/** @param {Buffer} bytes */
const digest = (bytes) => createHash('sha1').update(bytes).digest('base64');

/** Returns the offset and content of each piece that is not all zero. @param {Page} page @returns {string[]} */
function pieces({ bytes }) {
  const all = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    if (!piece.equals(ZEROS)) all.push(`${at} ${piece.toString('latin1')}`);
  }
  return all;
}

/** Reads a word; exact below 2^53, and so for all addresses. @param {Buffer} bytes @param {number} at */
const word = (bytes, at) =>
  WORD_BYTES === 4 ? bytes.readUInt32LE(at) : Number(bytes.readBigUInt64LE(at));

/** @param {import('./maps.js').Mapping[]} mappings sorted @param {number} value */
function isAddress(mappings, value) {
  let low = 0;
  let high = mappings.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { start, end } = mappings[middle];
    if (value < start) high = middle - 1;
    else if (value >= end) low = middle + 1;
    else return true;
  }
  return false;
}

/**
 * Returns a function that finds the page of a process that is most similar to a given one: of the same kind of mapping,
 * with at least one equal piece.
 * @param {Page[]} pages of the process @returns {(page: Page) => Page | undefined}
 */
function createFinder(pages) {
  /** @type {Map<string, Page[]>} */
  const byPiece = new Map();
  for (const page of pages) {
    for (const piece of pieces(page)) {
      const same = byPiece.get(piece);
      if (same) same.push(page);
      else byPiece.set(piece, [page]);
    }
  }
  return (page) => {
    /** @type {Map<Page, number>} */
    const votes = new Map();
    for (const piece of pieces(page)) {
      const same = byPiece.get(piece) ?? [];
      if (same.length > FEW_WORDS) continue; // a common pattern is not significant
      for (const each of same) {
        if (each.kind === page.kind) votes.set(each, (votes.get(each) ?? 0) + 1);
      }
    }
    let best;
    for (const vote of votes) if (!best || vote[1] > best[1]) best = vote;
    return best?.[0];
  };
}

/** @param {Page} page @param {Page} other @param {number} at @param {number} bytes */
const isEqual = (page, other, at, bytes) =>
  page.bytes.compare(other.bytes, at, at + bytes, at, at + bytes) === 0;

/** Finds why two pages differ. @param {Page} page @param {Snapshot} own @param {Page} other @param {Snapshot} others */
function causeOf(page, own, other, others) {
  let words = 0;
  for (let at = 0; at < page.bytes.length; at += WORD_BYTES) {
    if (at % PIECE_BYTES === 0 && isEqual(page, other, at, PIECE_BYTES)) {
      at += PIECE_BYTES - WORD_BYTES;
      continue;
    }
    if (isEqual(page, other, at, WORD_BYTES)) continue;
    const [mine, theirs] = [word(page.bytes, at), word(other.bytes, at)];
    if (!isAddress(own.mappings, mine) || !isAddress(others.mappings, theirs)) words++;
  }
  if (words === 0) return 'addresses';
  return words <= FEW_WORDS ? 'few words' : 'content';
}

/** Counts the first process's pages by mapping and cause, most first. @param {Snapshot} own @param {Snapshot} other */
export function comparePages(own, other) {
  const frames = new Set(other.pages.map(({ frame }) => frame).filter((frame) => frame !== 0n));
  const digests = new Set(other.pages.map(({ bytes }) => digest(bytes)));
  /** @type {ReturnType<typeof createFinder> | undefined} */
  let find; // takes most of the time, so it is built when it is needed
  const zero = digest(Buffer.alloc(own.pageBytes));
  /** @type {Map<string, Row>} */
  const rows = new Map();
  for (const page of own.pages) {
    const hash = digest(page.bytes);
    /** @type {Cause} */
    let cause;
    if (hash === zero) cause = 'zero';
    else if (frames.has(page.frame)) cause = 'merged';
    else if (digests.has(hash)) cause = 'equal';
    else {
      find ??= createFinder(other.pages);
      const counterpart = find(page);
      cause = counterpart ? causeOf(page, own, counterpart, other) : 'only here';
    }
    const key = `${page.kind} ${cause}`;
    const row = rows.get(key) ?? { kind: page.kind, cause, pages: 0, kib: 0 };
    row.pages++;
    row.kib += own.pageBytes / 1024;
    rows.set(key, row);
  }
  return [...rows.values()].sort((a, b) => b.pages - a.pages);
}

/** Formats a table with a legend for a terminal. @param {Row[]} rows @returns {string} */
export function formatComparison(rows) {
  const total = rows.reduce((sum, { kib }) => sum + kib, 0);
  const share = (/** @type {number} */ kib) => `${((100 * kib) / Math.max(1, total)).toFixed(1)} %`;
  const cells = rows.map(({ kind, cause, pages, kib }) => [
    kind,
    cause,
    String(pages),
    mib(kib),
    share(kib),
  ]);
  const used = Object.entries(CAUSES).filter(([cause]) => rows.some((row) => row.cause === cause));
  return [
    table(['mapping', 'cause', 'pages', 'MiB', 'share'], cells, 2),
    '',
    ...used.map(([cause, meaning]) => `${cause}: ${meaning}`),
  ].join('\n');
}
