/**
 * Hammers a small ring across two processes: `node hammer.js ROOT RECORDS`. ROOT is the folder of the package. The
 * child writes records of random lengths and takes some of them back, this process reads them; both block in the kernel
 * when the ring is full or empty. Prints `{records, revoked, blocked}` as JSON, and fails if a record is lost, torn,
 * out of order, or delivered although it was taken back. It needs no other packages, so it runs with any Node.js.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [root, count, role] = process.argv.slice(2);
const RECORDS = Number(count);
const { native } = await load('app/native/native.js');
const { CONTROL, FIELD, HEADER_BYTES, WAITING, linkBytes, ringsOf } = await load(
  'app/pool/transport/layout.js',
);
const { RingReader, RingWriter } = await load('app/pool/transport/ring.js');

const RING_BYTES = 1024;
/** Every record of which this is a divisor may be taken back. */
const REVOKED = 5;
/** How long a side reads before it sleeps. */
const SPIN_MICROS = 5;
const MEMORY_FD = 3;
const addon = native();
let blocked = 0;

/** @param {string} path of a module in the package @returns {Promise<any>} */
function load(path) {
  return import(pathToFileURL(join(root, path)).href);
}

/** Returns the length of a record and the value of its bytes. Most are short. @param {number} index */
function recordOf(index) {
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0;
  const maxLength = (mixed >>> 4) % 8 === 0 ? 400 : 24;
  return { length: (mixed >>> 8) % maxLength, byte: mixed & 0xff };
}

/** @param {Int32Array} control @param {number} word */
function block(control, word) {
  blocked++;
  addon.waitWhile(control, word, WAITING.blocked, SPIN_MICROS);
}

/** Writes all records. @param {any} memory @returns {number[]} those that were taken back */
function write(memory) {
  const writer = new RingWriter(memory);
  const { bytes, words, control } = memory;
  const revoked = [];
  for (let index = 0; index < RECORDS; index++) {
    const { length, byte } = recordOf(index);
    let start = writer.reserve(length);
    while (start < 0) {
      if (writer.awaitSpace(WAITING.blocked, length)) block(control, CONTROL.writer);
      start = writer.reserve(length);
    }
    bytes.fill(byte, start + HEADER_BYTES, start + HEADER_BYTES + length);
    words[(start >> 2) + FIELD.id] = index;
    if (writer.publish() !== WAITING.no) addon.wakeWord(control, CONTROL.reader);
    if (index % REVOKED === 0 && writer.revoke(start, writer.position)) revoked.push(index);
  }
  return revoked;
}

/** Reads and checks all records. @param {any} memory @returns {number[]} those that had been taken back */
function read(memory) {
  const reader = new RingReader(memory);
  const { bytes, words, control } = memory;
  const missing = [];
  for (let index = 0; index < RECORDS; index++) {
    let start = reader.peek();
    while (start === -1) {
      if (reader.awaitRecord(WAITING.blocked)) block(control, CONTROL.reader);
      start = reader.peek();
    }
    assert.ok(start >= 0, 'the numbers are valid');
    const { length, byte } = recordOf(index);
    assert.equal(words[(start >> 2) + FIELD.id], index, 'in order');
    if (reader.claim(start)) {
      const body = bytes.subarray(start + HEADER_BYTES, start + HEADER_BYTES + length);
      assert.ok(
        body.every((/** @type {number} */ each) => each === byte),
        'not torn',
      );
    } else missing.push(index);
    if (reader.release() !== WAITING.no) addon.wakeWord(control, CONTROL.writer);
  }
  return missing;
}

if (role === 'writer') {
  const revoked = write(ringsOf(addon.mapSparseMemory(MEMORY_FD), RING_BYTES).requests);
  console.log(JSON.stringify({ revoked, blocked }));
} else {
  const { buffer, fd } = addon.createSparseMemory(linkBytes(RING_BYTES));
  const args = [fileURLToPath(import.meta.url), root, count, 'writer'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', fd] });
  const missing = read(ringsOf(buffer, RING_BYTES).requests);
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  await once(child, 'close');
  const writer = JSON.parse(output);
  assert.deepEqual(missing, writer.revoked, 'each record goes to exactly one side');
  const revoked = missing.length;
  console.log(JSON.stringify({ records: RECORDS, revoked, blocked: blocked + writer.blocked }));
}
