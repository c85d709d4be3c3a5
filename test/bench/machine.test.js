import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { processTree } from '../../app/process/process-tree.js';
import { examine } from '../../bench/machine/doctor.js';
import { machineFacts, passingFacts } from '../../bench/machine/facts.js';
import { cpuMs, cpuMsOfAll } from '../../bench/machine/proc.js';
import { machineLine } from '../../bench/report/text.js';

/** A Pi in good condition. */
const MACHINE = {
  ...machineFacts(),
  governor: 'performance',
  hugePages: 'madvise',
  aslr: 2,
  pageSize: 4096,
  virtual: null,
  cores: 4,
  nodeFlags: '',
  ksm: { run: 0 },
};
const NOW = {
  ...(await passingFacts()),
  load: 0.05,
  temperature: 45,
  throttled: 0,
  swapUsedKib: 0,
};

/** @param {Partial<typeof MACHINE>} machine @param {Partial<typeof NOW>} [now] */
function warnings(machine, now = {}) {
  const findings = examine({ ...MACHINE, ...machine }, { ...NOW, ...now });
  return findings.filter(({ verdict }) => verdict === 'warning').map(({ about }) => about);
}

test('a machine in good condition causes no warning', () => {
  assert.deepEqual(warnings({}), []);
});

for (const [about, machine, now] of /** @type {[string, any, any][]} */ ([
  ['governor', { governor: 'ondemand' }, {}],
  ['throttling', {}, { throttled: 0x50005 }],
  ['throttling', {}, { throttled: 0x10000 }],
  ['temperature', {}, { temperature: 81 }],
  ['other load', {}, { load: 1.5 }],
  ['huge pages', { hugePages: 'always' }, {}],
  ['swap', {}, { swapUsedKib: 4096 }],
  ['ASLR', { aslr: 0 }, {}],
  ['page size', { pageSize: 16384 }, {}],
  ['KSM', { ksm: { run: 1 } }, {}],
  ['machine', { virtual: 'QEMU' }, {}],
  ['cores', { cores: 1 }, {}],
  ['Node flags', { nodeFlags: '--jitless' }, {}],
])) {
  test(`${about}: ${JSON.stringify({ ...machine, ...now })} causes one warning, with advice`, () => {
    assert.deepEqual(warnings(machine, now), [about]);
    const findings = examine({ ...MACHINE, ...machine }, { ...NOW, ...now });
    assert.ok(findings.find((finding) => finding.about === about)?.advice);
  });
}

test('past and current under-voltage are distinguished', () => {
  const says = (/** @type {number} */ throttled) =>
    examine(MACHINE, { ...NOW, throttled }).find(({ about }) => about === 'throttling')?.says;
  assert.match(String(says(0x50005)), /^now: under-voltage, throttled/);
  assert.match(String(says(0x50000)), /^earlier: under-voltage, throttled/);
});

const FACTS = new URL('../../bench/machine/facts.js', import.meta.url).href;
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

test('both sources give the same CPU time of a process tree', async (t) => {
  const inner = 'while (process.cpuUsage().user < 3e5); console.log(0); setInterval(() => 0, 1e9)';
  const outer = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], {stdio: 'inherit'})`;
  const child = spawn(process.execPath, ['-e', outer], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => processTree(Number(child.pid)).forEach((pid) => process.kill(pid, 'SIGKILL')));
  await once(child.stdout, 'data');
  const tree = processTree(Number(child.pid));
  assert.equal(tree.length, 2);
  const fine = cpuMs(tree);
  const coarse = cpuMsOfAll(tree);
  assert.ok(fine >= 300, `${fine} ms`);
  assert.ok(Math.abs(fine - coarse) < 0.2 * coarse + 30, `${fine} ms and ${coarse} ms`);
});
