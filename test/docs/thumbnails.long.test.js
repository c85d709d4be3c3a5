/** Runs the example of thumbnails in docs/runtime.md. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test from 'node:test';
import { promisify } from 'node:util';
import { writePrograms } from './pages.js';

test('timers of the main thread are late while it makes thumbnails, and in time while a pool does', async () => {
  const folder = writePrograms('docs/runtime.md', 'docs-thumbnails');
  const options = { cwd: folder };
  const { stdout } = await promisify(execFile)(process.execPath, ['thumbnails.mjs'], options);
  const [own, pooled] = [...stdout.matchAll(/takes ([\d.]+) ms/g)].map(([, ms]) => Number(ms));
  assert.ok(pooled * 3 < own, stdout);
});
