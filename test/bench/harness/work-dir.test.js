/** Tests that a copy of Node.js shares no file pages with the harness. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyNode } from '../../../bench/harness/work-dir.js';
import { temporaryFolder } from '../../support/folders.js';

const MAPS = `console.log(require('fs').readFileSync('/proc/self/maps', 'latin1'))`;

/**
 * @param {import('../../../bench/harness/work-dir.js').NodeCopy} node
 * @returns {string[]} mapped programs and libraries
 */
function mappedBy({ path, env }) {
  const { stdout, stderr } = spawnSync(path, ['-e', MAPS], { env, encoding: 'utf8' });
  const files = stdout.match(/\/\S*\/(node|lib[^/\s]*\.so[^/\s]*)$/gm) ?? [];
  assert.ok(files.length > 0, stderr);
  return [...new Set(files)];
}

for (const shared of [false, true]) {
  const what = shared ? 'Node and its libraries' : 'Node';
  test(`${what}: copied once, and a process maps the copies only`, () => {
    const folder = temporaryFolder();
    const node = copyNode(folder, shared);
    assert.deepEqual(copyNode(folder, shared), node);
    const foreign = mappedBy(node).filter((file) => !file.startsWith(folder));
    if (shared) assert.deepEqual(foreign, []);
    else assert.ok(!foreign.includes(process.execPath), foreign.join());
  });
}

test('when copying fails, no partial files are left', () => {
  const folder = temporaryFolder();
  assert.throws(() => copyNode(join(folder, 'none')), {
    code: 'PITV_BENCH_UNSUPPORTED',
    message: /Node\.js could not be copied to .*none .*ENOENT/,
  });
  assert.deepEqual(readdirSync(folder), []);
});
