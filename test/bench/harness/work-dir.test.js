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
    assert.equal(node.isCopy, true);
    assert.deepEqual(copyNode(folder, shared), node);
    const foreign = mappedBy(node).filter((file) => !file.startsWith(folder));
    if (shared) assert.deepEqual(foreign, []);
    else assert.ok(!foreign.includes(process.execPath), foreign.join());
  });
}

test('on a file system with noexec, this Node is returned, and the copy is tried once', (t) => {
  const folder = temporaryFolder();
  const mount = ['-t', 'tmpfs', '-o', 'noexec', 'tmpfs', folder];
  const url = new URL('../../../bench/harness/work-dir.js', import.meta.url).href;
  const program = `const { copyNode } = await import(${JSON.stringify(url)});
    const { readdirSync } = await import('node:fs');
    const [folder] = process.argv.slice(1);
    const areCopies = [1, 2].map(() => copyNode(folder).isCopy);
    console.log(JSON.stringify([areCopies, readdirSync(folder)]));`;
  const script = 'mount "$@" && exec "$NODE" --input-type=module -e "$PROGRAM" "$FOLDER"';
  const env = { ...process.env, NODE: process.execPath, PROGRAM: program, FOLDER: folder };
  const inside = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...mount];
  const { status, stdout, stderr } = spawnSync('unshare', inside, { env, encoding: 'utf8' });
  if (status !== 0 && /unshare|mount:/.test(stderr)) return t.skip(stderr.trim());
  assert.deepEqual(JSON.parse(stdout), [[false, false], [`node-${process.version}-refused`]]);
});

test('when copying fails, this Node is returned, and no partial files are left', () => {
  const folder = temporaryFolder();
  const none = join(folder, 'none');
  const { path, isCopy, env } = copyNode(none);
  assert.deepEqual([path, isCopy], [process.execPath, false]);
  assert.equal(env.LD_LIBRARY_PATH, process.env.LD_LIBRARY_PATH);
  assert.deepEqual(readdirSync(folder), []);
});
