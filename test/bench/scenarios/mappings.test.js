import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  mappingsOf,
  parseMappings,
  sumOf,
  total,
} from '../../../bench/scenarios/mappings/mappings.js';
import { parseMemory } from '../../../app/process/memory-account.js';

/** @param {string} path @param {number} pss @param {number} dirty @param {number} anonymous */
const mapping = (path, pss, dirty, anonymous = dirty) =>
  `7f00a000-7f00b000 r--p 00001000 fe:02 123    ${path}
Size:                  4 kB
Pss:                ${String(pss).padStart(4)} kB
Pss_Dirty:          ${String(dirty).padStart(4)} kB
Anonymous:          ${String(anonymous).padStart(4)} kB
SwapPss:              99 kB
VmFlags: rd mr mw me ac
`;

test('mappings are classified by name, and written pages of files are counted separately', () => {
  const smaps = [
    mapping('/usr/lib/arm-linux-gnueabihf/libnode.so.115', 100, 10),
    mapping('/opt/node', 7, 5, 0), // just installed: not yet on the disk
    mapping('/usr/lib/arm-linux-gnueabihf/libicudata.so.76.1', 50, 1),
    mapping('[heap]', 30, 30),
    mapping('', 200, 200),
    mapping('[stack]', 3, 3),
    mapping('/memfd:pitv (deleted)', 5, 5),
  ].join('');
  const parts = parseMappings(smaps);
  assert.deepEqual(parts, { node: 97, files: 49, written: 11, anonymous: 208, malloc: 30 });
  assert.equal(total(parts), 395);
  assert.equal(sumOf([parts, parts]).files, 98);
});

test('the parts of a process sum up to its PSS', () => {
  const smaps = readFileSync('/proc/self/smaps', 'latin1');
  const parts = parseMappings(smaps);
  assert.equal(total(parts), parseMemory(smaps).pssKib);
  for (const [kind, kib] of Object.entries(parts)) assert.ok(kib > 0, kind);
});

test('a process that has ended has no mappings', () => {
  assert.equal(mappingsOf(2 ** 22), undefined);
});
