import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { probeFeatures } from '../../ksm/features.js';
import { onlyLong } from '../support/extent.js';
import { temporaryFolder } from '../support/folders.js';

const EINVAL = -22;
const EPERM = -1;

/** Makes an addon whose system calls all return the same. @param {number} result */
const addonReturning = (result) => ({
  adviseRange: () => result,
  memoryMerge: () => result,
  personality: () => result,
  tryLock: () => result,
  trimHeap: () => false,
  pageBytes: 4096,
});

/** @param {ReturnType<typeof probeFeatures>} features */
const names = ({ missing }) => missing.map(({ name }) => name);

test('a kernel without CONFIG_KSM lacks the calls and the folder', () => {
  const features = probeFeatures({ sysfs: temporaryFolder(), addon: addonReturning(EINVAL) });
  assert.equal(features.sysfs || features.madvise || features.prctl || features.writable, false);
  assert.ok(names(features).includes('CONFIG_KSM'));
  assert.ok(names(features).includes('linux-6.4'));
  assert.match(features.missing.map(({ reason }) => reason).join('; '), /EINVAL/);
});

test('a sandbox that forbids personality(2) is reported', () => {
  const features = probeFeatures({ addon: { ...addonReturning(0), personality: () => EPERM } });
  assert.equal(features.personality, false);
  assert.ok(
    features.missing.some(({ name, reason }) => name === 'personality' && /EPERM/.test(reason)),
  );
});

const PACKAGE = fileURLToPath(new URL('../../ksm', import.meta.url));
const noKsm = onlyLong || (!probeFeatures().madvise && 'needs a kernel with KSM');

test('without the prctl, a launched process is marked by madvise', { skip: noKsm }, async (t) => {
  const folder = temporaryFolder();
  cpSync(PACKAGE, join(folder, 'ksm'), { recursive: true });
  const header = join(folder, 'old-prctl.h');
  const options = ['PR_SET_MEMORY_MERGE', 'PR_GET_MEMORY_MERGE'];
  const lines = options.map((name) => `#undef ${name}\n#define ${name} 32767\n`);
  writeFileSync(header, `#include <sys/prctl.h>\n${lines.join('')}`);
  const out = `OUT=${join(folder, 'build', process.arch)}`;
  const built = spawnSync('make', [
    '-C',
    join(PACKAGE, 'native'),
    out,
    `CFLAGS=-O1 -include ${header}`,
  ]);
  if (built.error) return t.skip('needs make and a C compiler');
  assert.equal(built.status, 0, String(built.stderr));

  const program = `
    import { getMemoryMerge } from '${join(folder, 'ksm/advise.js')}';
    import { probeFeatures } from '${join(folder, 'ksm/features.js')}';
    import { isMergeable } from '${join(folder, 'ksm/processes.js')}';
    while (!isMergeable(process.pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    let code;
    try { getMemoryMerge(); } catch (error) { code = error.code + ' ' + error.missing; }
    console.log(code, probeFeatures().prctl, probeFeatures().missing.map(({ name }) => name).join());`;
  const preload = join(folder, 'ksm/preload.cjs');
  const args = ['--require', preload, '--input-type=module', '-e', program];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
  assert.match(run.stdout, /^KSM_UNSUPPORTED linux-6.4 false .*\blinux-6.4\b/, run.stderr);
});
