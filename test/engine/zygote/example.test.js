import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const EXAMPLE = fileURLToPath(new URL('../../../app/engine/zygote/example/', import.meta.url));

test('the example prints the results of three children', () => {
  const said = execFileSync(process.execPath, [`${EXAMPLE}index.js`], { encoding: 'utf8' });
  assert.match(said, /^The zygote \(\d+\) was ready after \d+ ms\./);
  for (const [n, square] of [
    [3, 9],
    [30, 900],
    [301, 90_601],
  ]) {
    assert.ok(said.includes(`${n} * ${n} = ${square}\n`), said);
  }
  assert.equal(said.match(/It ended with 0/g)?.length, 3, said);
  const pids = [...said.matchAll(/Child (\d+)/g)].map(([, pid]) => pid);
  assert.equal(new Set(pids).size, 3);
});
