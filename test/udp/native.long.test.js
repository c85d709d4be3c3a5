/** Runs the native receiver under the compiler's sanitizers, which find races and use after free. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/tv.js';

const NATIVE = fileURLToPath(new URL('../../app/native/', import.meta.url));
const STRESS = fileURLToPath(new URL('stress.c', import.meta.url));
const FOR_MS = 1500;

for (const sanitizer of ['thread', 'address,undefined']) {
  test(`-fsanitize=${sanitizer} finds nothing`, async (t) => {
    const program = join(temporaryFolder(), 'stress');
    const sources = [`${NATIVE}udp/pads.c`, `${NATIVE}udp/receive.c`, STRESS];
    const flags = [
      '-g',
      '-O1',
      `-fsanitize=${sanitizer}`,
      '-fno-sanitize-recover',
      '-D_GNU_SOURCE',
    ];
    const args = [...flags, '-I', `${NATIVE}udp`, '-o', program, ...sources, '-lpthread'];
    const built = spawnSync(process.env.CC ?? 'cc', args, { encoding: 'utf8' });
    if (built.error) return t.skip('needs a C compiler');
    if (/sanitize|lib.san/.test(built.stderr))
      return t.skip('needs a compiler with this sanitizer');
    assert.equal(built.status, 0, built.stderr);
    const run = spawnSync(program, [String(FOR_MS)], { encoding: 'utf8' });
    // The thread sanitizer does not support the memory layout of some kernels.
    if (/unexpected memory mapping/.test(run.stderr)) return t.skip('not supported on this kernel');
    assert.equal(run.status, 0, `${run.stdout}${run.stderr}`);
    assert.match(run.stdout, /[1-9]\d* accepted, [1-9]\d* without a seat, 0 stolen/);
  });
}
