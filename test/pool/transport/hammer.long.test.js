/** Hammers the ring across processes. test/image/npm/arm.long.test.js does the same on Arm. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HAMMER = fileURLToPath(new URL('hammer.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const RECORDS = 1_000_000;

test('a million records pass between two processes, each once and whole', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [HAMMER, ROOT, `${RECORDS}`]);
  const { records, revoked, blocked } = JSON.parse(stdout);
  t.diagnostic(stdout);
  assert.equal(records, RECORDS);
  assert.ok(revoked > 0, 'some were taken back');
  assert.ok(blocked > 0, 'both sides have waited');
});
