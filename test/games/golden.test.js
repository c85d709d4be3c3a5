import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeVersions } from '../nodes.js';

/**
 * Compares versions of Node.js and processors with each other. There are no fixed values, because the
 * games are tuned from time to time.
 */
const script = fileURLToPath(new URL('golden-run.js', import.meta.url));

/** @param {string[]} command */
function play([program, ...args]) {
  const result = spawnSync(program, [...args, script], { encoding: 'utf8' });
  assert.equal(result.status, 0, result.stderr);
  return JSON.parse(result.stdout);
}

const expected = play([process.execPath]);

test('two runs give the same matches', () => assert.deepEqual(play([process.execPath]), expected));

for (const { name, command, skip } of nodeVersions().slice(1)) {
  test(`${name}: the same matches, byte for byte`, { skip }, () => {
    assert.deepEqual(play(command), expected);
  });
}
