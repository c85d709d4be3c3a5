import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeVersions } from '../nodes.js';

/**
 * No figure is written down here, for games are tuned: what this Node makes of the matches, every
 * other one and every other processor must make of them too.
 */
const script = fileURLToPath(new URL('golden-run.js', import.meta.url));

/** @param {string[]} command */
function play([program, ...args]) {
  const result = spawnSync(program, [...args, script], { encoding: 'utf8' });
  assert.equal(result.status, 0, result.stderr);
  return JSON.parse(result.stdout);
}

const here = play([process.execPath]);

test('twice the same here', () => assert.deepEqual(play([process.execPath]), here));

for (const { name, command, skip } of nodeVersions().slice(1)) {
  test(`${name}: the same matches, byte by byte`, { skip }, () => {
    assert.deepEqual(play(command), here);
  });
}
