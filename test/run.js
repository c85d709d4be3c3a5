/**
 * Runs the tests: `node test/run.js [file or folder ...]`, all of them by default. Ends with the
 * line "N passed, N failed", with ", N skipped" where some were, and exits 1 unless every one passed.
 */
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const FILE_TIMEOUT_MS = 15 * 60 * 1000;
/** What boots a card in an emulated board. */
const BOOTS = /^test\/image\/boot\//;
const BOOT_TIMEOUT_MS = 90 * 60 * 1000;

/** What takes every core or watches the clock runs alone, the rest side by side. */
const ALONE = /^test\/(engine|ksm|server|udp|e2e|bench)\//;

/** @param {string} path @returns {string[]} the test files at or below it */
function testFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => name !== 'output' && name !== 'node_modules')
    .sort()
    .flatMap((name) => {
      const at = join(path, name);
      return statSync(at).isDirectory() || name.endsWith('.test.js') ? testFiles(at) : [];
    });
}

const asked = process.argv.slice(2).map((path) => join(root, relative(root, path)));
const files = (asked.length > 0 ? asked : [join(root, 'test')]).flatMap(testFiles);
const alone = files.filter((file) => ALONE.test(relative(root, file)));
const together = files.filter((file) => !alone.includes(file));

const counts = { passed: 0, failed: 0, skipped: 0 };

/** @param {string[]} some @param {number | boolean} concurrency */
async function runFiles(some, concurrency) {
  if (some.length === 0) return;
  const boots = some.some((file) => BOOTS.test(relative(root, file)));
  const timeout = boots ? BOOT_TIMEOUT_MS : FILE_TIMEOUT_MS;
  const tests = run({ files: some, concurrency, timeout });
  tests.on('test:pass', (event) => {
    if (event.details.type === 'suite') return;
    if (event.skip !== undefined || event.todo !== undefined) counts.skipped++;
    else counts.passed++;
  });
  tests.on('test:fail', (event) => {
    if (event.details.type !== 'suite') counts.failed++;
  });
  for await (const text of tests.compose(new spec())) process.stdout.write(text);
}

await runFiles(together, true);
await runFiles(alone, 1);

if (counts.passed === 0) counts.failed ||= 1; // a run without a test is no success
process.exitCode = counts.failed > 0 ? 1 : 0;
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
