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
    test(`${name}: a program's own cluster (${mode}) sees no workers`, { skip }, () => {
      const [node, ...args] = command;
      const out = execFileSync(node, [...args, PROGRAM, mode], {
        encoding: 'utf8',
        timeout: 60_000,
      });
      const { seen, ...rest } = JSON.parse(out);
      assert.deepEqual(rest, {
        message: `${mode} by ${PROGRAM}`, // its worker runs its own file
        others: [],
        same: true, // its settings are unchanged
        listed: [true],
        strange: [],
        setups: mode === 'configured' ? 2 : 1, // only its own calls
      });
      for (const event of ['fork', 'online', 'message', 'disconnect', 'exit']) {
        assert.ok(seen.join().includes(event), event);
      }
    });
  }
}
