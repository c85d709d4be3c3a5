import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examine } from '../../../bench/machine/doctor.js';
import { machineFacts, passingFacts } from '../../../bench/machine/facts.js';

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
  pageout: false,
  ksm: { run: 0 },
};
const NOW = { ...passingFacts(), load: 0.05, temperature: 45, throttled: 0, swapUsedKib: 0 };

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
  ['reclaim', { pageout: true }, {}],
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
