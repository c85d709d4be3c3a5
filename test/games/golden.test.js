/** Compares Node.js versions and processors. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeVersions } from '../nodes.js';

/**
 * The results of the kernel that every version of Node.js on every processor must give. A change to the step or the
 * layout changes them: print the new values with `node test/games/golden-program.js | head -1`, and explain the
 * change in the commit, because older checkpoints and replays become invalid. There are no fixed values of games, which
 * are tuned from time to time.
 */
const GOLDEN = {
  circles: '15cfe7495d47c30f69595674d2c0ab80cd0879b9cbaf46694aa49f6757dea463',
  mixed: 'b34beef14f3d8d9ecaf9be359e7ddb5cca08061d648cca6ae947a3ed481e10fe',
  trigonometry: '210a280318040f72a9bf1409b586c1dc0dd604d3ff5e466e7ccd52173620c416',
};

const PROGRAM = fileURLToPath(new URL('./golden-program.js', import.meta.url));

/** Runs the kernel, and plays games. @param {string[]} command that starts a Node.js */
async function run([node, ...args]) {
  const { stdout } = await promisify(execFile)(node, [...args, PROGRAM], { maxBuffer: 1e8 });
  const [kernel, ...ticks] = stdout.split('\n');
  return { kernel: JSON.parse(kernel), ticks };
}

const expected = await run([process.execPath]);

for (const { name, command, skip } of nodeVersions()) {
  test(`${name}: the same seed gives the same bytes`, { skip }, async () => {
    const { kernel, ticks } = await run(command);
    assert.deepEqual(kernel, GOLDEN);
    assert.ok(ticks.length > 1000);
    const first = expected.ticks.findIndex((line, i) => line !== ticks[i]);
    assert.equal(ticks[first], expected.ticks[first]);
  });
}
