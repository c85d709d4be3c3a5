/** Compares Node.js versions and processors. There are no fixed values, because games are tuned from time to time. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeVersions } from '../nodes.js';

const PROGRAM = fileURLToPath(new URL('./golden-program.js', import.meta.url));

/** Plays all games. @param {string[]} command that starts a Node.js */
async function play([node, ...args]) {
  const { stdout } = await promisify(execFile)(node, [...args, PROGRAM], { maxBuffer: 1e8 });
  return stdout.split('\n');
}

const expected = await play([process.execPath]);

for (const { name, command, skip } of nodeVersions()) {
  test(`${name}: the same matches, byte for byte`, { skip }, async () => {
    const found = await play(command);
    assert.ok(found.length > 1000);
    const first = expected.findIndex((line, i) => line !== found[i]);
    assert.equal(found[first], expected[first]);
  });
}
