import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { PitvError, firstSentenceOf, messageOf } from '../app/errors.js';
import { ERRORS, statusOf } from '../app/errors/table.js';
import { KSM_ERRORS, KsmError } from '../ksm/errors.js';
import { root as ROOT } from './support/test-files.js';

/** @param {string[]} folders @param {RegExp} pattern of the file names @returns {string[]} texts */
const sourcesOf = (folders, pattern) =>
  folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        // bench/board runs on the machine that builds cards, whose errors are not in the table.
        (name) =>
          pattern.test(name) && !/node_modules|errors\/table\.js|^errors\.js|^board/.test(name),
      )
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  );

/** @param {string[]} sources @param {RegExp} pattern @returns {string[]} unique, sorted */
const codesIn = (sources, pattern) =>
  [
    ...new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, code]) => code))),
  ].sort();

test('every code in the sources is in the table, and the other way round', () => {
  const scripts = sourcesOf(['app', 'bench'], /\.js$/);
  const addon = sourcesOf(['app/native'], /\.c$/);
  const codes = codesIn([...scripts, ...addon], /['"](PITV_[A-Z_]+)['"]/g);
  assert.deepEqual(codes, Object.keys(ERRORS).sort());
  const ksmCodes = codesIn(sourcesOf(['ksm'], /\.(js|c)$/), /['"](KSM_[A-Z]+)['"]/g);
  assert.deepEqual(ksmCodes, Object.keys(KSM_ERRORS).sort());
});

test('every code after @throws in a comment is in the table', () => {
  const lines = sourcesOf(['app', 'bench', 'ksm'], /\.js$/).flatMap(
    (text) => text.match(/@throws .*/g) ?? [],
  );
  const known = { ...ERRORS, ...KSM_ERRORS };
  const codes = codesIn(lines, /\b((?:PITV|KSM)_[A-Z_]*[A-Z])\b(?!_)/g);
  const unknown = codes.filter((code) => !Object.hasOwn(known, code));
  assert.deepEqual(unknown, []);
});

test('every row has one sentence for the problem and one for the remedy', () => {
  for (const [code, { problem, remedy }] of Object.entries({ ...ERRORS, ...KSM_ERRORS })) {
    for (const sentence of [problem, remedy]) assert.match(sentence, /^[A-Z`][^|]*\.$/, code);
  }
});

test('an error has the exit status and the HTTP status of its row', () => {
  for (const [code, row] of Object.entries(ERRORS)) {
    assert.equal(new PitvError(code, '').exitCode, 'exit' in row ? row.exit : 1, code);
    assert.equal(statusOf(code), 'status' in row ? row.status : 500, code);
  }
  for (const [code, row] of Object.entries(KSM_ERRORS)) {
    const error = new KsmError(/** @type {keyof typeof KSM_ERRORS} */ (code), '');
    assert.equal(error.exitCode, 'exit' in row ? row.exit : 1, code);
  }
  assert.equal(statusOf('PITV_OF_ANOTHER_VERSION'), 500);
});

test('messageOf() returns a message for any thrown value', () => {
  assert.equal(messageOf(new Error('No room.')), 'No room.');
  assert.equal(messageOf('No room.'), 'No room.');
  assert.equal(messageOf(undefined), 'undefined');
  assert.equal(messageOf(Symbol('room')), 'Symbol(room)');
  for (const odd of [Object.create(null), { toString: 0, valueOf: 0 }]) {
    assert.equal(messageOf(odd), 'An object without a text form was thrown.');
  }
});

test('firstSentenceOf() ends with a full stop', () => {
  assert.equal(firstSentenceOf(new Error('No room. Try again')), 'No room.');
  assert.equal(firstSentenceOf(new Error('No room\nat all')), 'No room.');
});
