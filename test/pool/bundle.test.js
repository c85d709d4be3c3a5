/** Programs that are bundled with esbuild. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const esbuild = await import('esbuild').catch(() => undefined);
const skip = !esbuild && 'needs esbuild';

/**
 * Bundles a program and runs it.
 * @param {import('node:test').TestContext} t
 * @param {string} contents @param {'esm' | 'cjs'} format @param {string[]} [external]
 */
async function run(t, contents, format, external = []) {
  const folder = mkdtempSync(join(PROJECT, 'build', 'bundle-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const outfile = join(folder, format === 'esm' ? 'out.mjs' : 'out.cjs');
  await esbuild?.build({
    stdin: { contents, resolveDir: PROJECT },
    bundle: true,
    platform: 'node',
    logLevel: 'silent',
    format,
    external,
    outfile,
  });
  return spawnSync(process.execPath, [outfile], { encoding: 'utf8', cwd: tmpdir() });
}

for (const [format, module] of /** @type {const} */ ([
  ['esm', 'pool'],
  ['cjs', 'engine'],
  ['esm', 'zygote'],
])) {
  test(`${format}: a bundled pitv/${module} says at its import what to do`, { skip }, async (t) => {
    const { stderr } = await run(t, `import * as all from 'pitv/${module}'; all.run();`, format);
    assert.match(stderr, /PITV_BUNDLED/);
    assert.match(stderr, /--external:pitv/);
  });
}

test('a program that leaves the library out of its bundle runs', { skip }, async (t) => {
  const program = `import { Pool } from 'pitv/pool'; console.log(typeof Pool);`;
  const { stdout } = await run(t, program, 'esm', ['pitv']);
  assert.equal(stdout, 'function\n');
});
