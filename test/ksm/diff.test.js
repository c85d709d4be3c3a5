import test from 'node:test';
import assert from 'node:assert/strict';
import { comparePages, formatComparison } from '../../ksm/diff.js';
import { main } from '../../ksm/cli.js';
import { readPages } from '../../ksm/pages.js';
import { startChild } from './children.js';

const PAGE = 4096;
const BASE = 0x7f0000000000;
const OTHER_BASE = 0x7f5550000000;
const EQUAL_PAGES = 2048; // see child.js

/**
 * @param {number} base @param {Buffer[]} contents @param {bigint[]} [frames]
 * @returns {import('../../ksm/pages.js').Snapshot}
 */
function snapshot(base, contents, frames = []) {
  const mapping = /** @type {import('../../ksm/maps.js').Mapping} */ ({
    start: base,
    end: base + 100 * PAGE,
  });
  const pages = contents.map((bytes, i) => ({
    address: base + i * PAGE,
    kind: /** @type {const} */ ('malloc'),
    bytes,
    frame: frames[i] ?? 0n,
  }));
  return { pages, mappings: [mapping], pageBytes: PAGE };
}

/** Makes a page of different words. @param {number} seed @param {Record<number, bigint>} [words] by offset */
function page(seed, words = {}) {
  const bytes = Buffer.alloc(PAGE);
  for (let at = 0; at < PAGE; at += 4) bytes.writeUInt32LE((seed * 65_537 + at) >>> 0, at);
  for (const [at, word] of Object.entries(words)) bytes.writeBigUInt64LE(word, Number(at));
  return bytes;
}

/** @param {Buffer} mine @param {Buffer} theirs @param {bigint[]} [frames] @returns {string} cause */
function causeOf(mine, theirs, [own, other] = [0n, 0n]) {
  const rows = comparePages(snapshot(BASE, [mine], [own]), snapshot(OTHER_BASE, [theirs], [other]));
  assert.equal(rows.length, 1);
  assert.equal(rows[0].pages, 1);
  assert.equal(rows[0].kib, 4);
  return rows[0].cause;
}

const words = process.arch === 'x64' || process.arch === 'arm64' ? {} : { skip: '64-bit words' };

test('each cause of a difference is recognised', words, () => {
  assert.equal(causeOf(Buffer.alloc(PAGE), page(1)), 'zero');
  assert.equal(causeOf(page(1), page(1)), 'equal');
  assert.equal(causeOf(page(1), page(1), [7n, 7n]), 'merged');
  assert.equal(causeOf(page(1), page(1), [7n, 8n]), 'equal');
  assert.equal(causeOf(page(1), page(900)), 'only here');
  const pointer = page(1, { 64: BigInt(BASE + 16) });
  assert.equal(causeOf(pointer, page(1, { 64: BigInt(OTHER_BASE + 16) })), 'addresses');
  assert.equal(causeOf(pointer, page(1, { 64: 99n })), 'few words');
  assert.equal(causeOf(page(1, { 64: 12n }), page(1, { 64: 99n })), 'few words');
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i * 128, BigInt(i)]));
  assert.equal(causeOf(page(1, many), page(1)), 'content');
});

test('equal pages of two processes are found, and written pages are not', async (t) => {
  const children = await Promise.all([startChild(t), startChild(t)]);
  /** @param {import('../../ksm/diff.js').Row[]} rows @param {string[]} causes */
  const count = (rows, ...causes) =>
    rows.filter(({ cause }) => causes.includes(cause)).reduce((sum, { pages }) => sum + pages, 0);
  let text = '';
  const pids = children.map(({ pid }) => String(pid));
  assert.equal(await main(['diff', ...pids, '--json'], { out: (part) => (text += part) }), 0);
  const all = JSON.parse(text);
  assert.match(formatComparison(all), /^mapping +cause +pages/);
  assert.ok(count(all, 'equal', 'merged') >= EQUAL_PAGES, text);

  // Only the mappings of the filled memory: comparing the heaps again would take most of the time.
  const compareFilled = () => {
    const [own, other] = children.map(({ pid }) => {
      const snapshot = readPages(pid);
      return { ...snapshot, pages: snapshot.pages.filter(({ kind }) => kind === 'other') };
    });
    return comparePages(own, other);
  };
  const before = count(compareFilled(), 'equal', 'merged');
  assert.ok(before >= EQUAL_PAGES, `${before} equal pages`);
  const WRITTEN = 500;
  await children[0].ask('write', { page: 0, value: 9_000_000, count: WRITTEN });
  const after = count(compareFilled(), 'equal', 'merged');
  assert.ok(before - after > WRITTEN * 0.8, `${after} of ${before} pages after ${WRITTEN} writes`);
});
