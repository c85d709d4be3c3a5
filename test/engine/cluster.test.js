/** The process engine in a program that uses node:cluster. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeVersions } from '../nodes.js';

const PROGRAM = fileURLToPath(new URL('./jobs/clustered.js', import.meta.url));

for (const { name, command, skip } of nodeVersions()) {
  if (!name.endsWith(process.arch) && !name.startsWith('this')) continue; // the addon is built for this machine
  for (const mode of ['plain', 'configured']) {
    test(
      `${name}: a program's own cluster (${mode}) does not see the engine's workers`,
      { skip },
      () => {
        const [node, ...args] = command;
        const out = execFileSync(node, [...args, PROGRAM, mode], {
          encoding: 'utf8',
          timeout: 60_000,
        });
        const seen = JSON.parse(out);
        assert.equal(seen.message, `${mode} by ${PROGRAM}`, 'its worker runs its own file');
        assert.equal(seen.same, true, 'its settings are unchanged');
        assert.deepEqual(seen.others, []);
        assert.deepEqual(seen.listed, [true]);
        assert.deepEqual(seen.strange, []);
        for (const event of ['fork', 'online', 'message', 'disconnect', 'exit']) {
          assert.ok(
            seen.seen.some((/** @type {string} */ one) => one.startsWith(event)),
            event,
          );
        }
        assert.equal(seen.setups, mode === 'configured' ? 2 : 1, 'only its own calls');
      },
    );
  }
}
