import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { machineFacts } from '../../../bench/machine/facts.js';
import { machineLine } from '../../../bench/report/text.js';

const FACTS = new URL('../../../bench/machine/facts.js', import.meta.url).href;
const CODE = `import(${JSON.stringify(FACTS)}).then(({ machineFacts }) => console.log(machineFacts().aslr))`;
const setarch = spawnSync('setarch', ['-R', 'true']).status === 0;

test('the machine line states that ASLR is off, also if it is off for this process only', (t) => {
  if (!setarch) return t.skip('setarch -R does not work here');
  const { stdout, stderr } = spawnSync('setarch', ['-R', process.execPath, '-e', CODE], {
    encoding: 'utf8',
  });
  assert.equal(stdout.trim(), '0', stderr);
  const machine = { ...machineFacts(), before: {}, after: {} };
  assert.match(machineLine({ ...machine, aslr: 0 }), /ASLR off/);
  assert.doesNotMatch(machineLine({ ...machine, aslr: 2 }), /ASLR/);
});
