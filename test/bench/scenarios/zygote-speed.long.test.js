/** Tests the speed of a zygote's children. The zygote restricts V8's compilers to save memory. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeVersions } from '../../nodes.js';
import { temporaryFolder } from '../../support/tv.js';

const cli = fileURLToPath(new URL('../../../app/cli.js', import.meta.url));
const BENCH = 'run runtime --runs 3 --workers 1 --engines process,zygote'.split(' ');
/** Maximum CPU time compared with a process. Usual is 0.7 to 0.9; without compiled code, it is 1.4. */
const MAX_RATIO = 1.1;

for (const { name, command, skip } of nodeVersions().filter(({ name }) =>
  /^this|^Node 24/.test(name),
)) {
  test(
    `a pass takes no more CPU time in the zygote than in a process: ${name}`,
    {
      skip,
    },
    async () => {
      const file = join(temporaryFolder(), 'results.json');
      const [program, ...args] = [...command, cli, 'bench', ...BENCH, '--json', file];
      const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
      /** @type {import('../../../bench/report/results.js').Results} */
      const { rows } = JSON.parse(readFileSync(file, 'utf8'));
      const fastest = (/** @type {string} */ variant) => {
        const row = rows.find((each) => each.metric === 'cpu' && each.variant === variant);
        return Math.min(...(row?.samples ?? []));
      };
      const ratio = fastest('zygote') / fastest('process');
      assert.ok(ratio > 0 && ratio < MAX_RATIO, `${ratio}\n${stdout}`);
    },
  );
}
