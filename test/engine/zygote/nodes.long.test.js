/** Runs the zygote's tests on other versions of Node.js. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeVersions } from '../../nodes.js';
import { EXTENT } from '../../support/extent.js';

const FILES = ['child', 'options', 'replacement', 'threads', 'warm-up', 'zygote'].map((name) =>
  fileURLToPath(new URL(`./${name}.test.js`, import.meta.url)),
);

/** Fewer passed tests than this mean that files were not run. */
const MIN_PASSED = 45;

/** Most of the time, the tests of a version wait. */
const concurrency = availableParallelism();

describe('the zygote on other versions of Node.js', { concurrency }, () => {
  for (const { name, command, skip } of nodeVersions().slice(1)) {
    if (!name.endsWith(process.arch)) continue; // the addon is built for this machine
    test(name, { skip }, () => testsPass(command));
  }
});

/** @param {string[]} command */
async function testsPass([program, ...args]) {
  // Otherwise the inner runner would report to the outer one.
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT;
  delete env[EXTENT];
  const child = spawn(
    program,
    [...args, '--test', '--test-concurrency=1', '--test-reporter=tap', ...FILES],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const passed = Number(/^# pass (\d+)$/m.exec(said)?.[1]);
  assert.equal(code, 0, said);
  assert.ok(passed >= MIN_PASSED, said);
}
