import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeVersions } from '../nodes.js';

/**
 * The results that every version of Node.js on every processor must give. A change to the step or the
 * layout changes them: print the new values with `node test/game/golden-run.js js`, and explain the
 * change in the commit, because older checkpoints and replays become invalid.
 */
const GOLDEN = {
  circles: '15cfe7495d47c30f69595674d2c0ab80cd0879b9cbaf46694aa49f6757dea463',
  mixed: 'b34beef14f3d8d9ecaf9be359e7ddb5cca08061d648cca6ae947a3ed481e10fe',
  trigonometry: '210a280318040f72a9bf1409b586c1dc0dd604d3ff5e466e7ccd52173620c416',
};

const script = fileURLToPath(new URL('golden-run.js', import.meta.url));

for (const { name, command, skip } of nodeVersions()) {
  for (const kernel of ['wasm', 'js']) {
    test(`${name}, kernel ${kernel}: the same seed gives the same bytes`, { skip }, () => {
      const [program, ...args] = command;
      const result = spawnSync(program, [...args, script, kernel], { encoding: 'utf8' });
      assert.equal(result.status, 0, result.stderr);
      assert.deepEqual(JSON.parse(result.stdout), GOLDEN);
    });
  }
}
