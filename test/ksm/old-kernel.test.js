/**
 * A kernel before 6.4 has no prctl for this. Here it is the addon that is built as if: with a number
 * that no kernel knows.
 */
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { probeFeatures } from '../../ksm/features.js';

const PACKAGE = fileURLToPath(new URL('../../ksm', import.meta.url));
const noKsm = probeFeatures().madvise ? false : 'needs a kernel with KSM';

test('without prctl a launched process is marked by madvise', { skip: noKsm }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-ksm-old-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(PACKAGE, join(folder, 'ksm'), { recursive: true });
  const numbers = '-DPR_SET_MEMORY_MERGE=32767 -DPR_GET_MEMORY_MERGE=32767';
  const out = `OUT=${join(folder, 'build', process.arch)}`;
  const built = spawnSync('make', ['-C', join(PACKAGE, 'native'), out, `CFLAGS=-O1 ${numbers}`]);
  if (built.status !== 0) return t.skip('needs a C compiler, and headers older than Linux 6.4');

  const program = `
    import { getMemoryMerge } from '${join(folder, 'ksm/advise.js')}';
    import { probeFeatures } from '${join(folder, 'ksm/features.js')}';
    import { isMergeable } from '${join(folder, 'ksm/processes.js')}';
    while (!isMergeable(process.pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    let code;
    try { getMemoryMerge(); } catch (error) { code = error.code + ' ' + error.missing; }
    console.log(code, probeFeatures().prctl, probeFeatures().missing[0].name);`;
  const preload = join(folder, 'ksm/preload.cjs');
  const args = ['--require', preload, '--input-type=module', '-e', program];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
  assert.equal(run.stdout, 'KSM_UNSUPPORTED linux-6.4 false linux-6.4\n', run.stderr);
});
